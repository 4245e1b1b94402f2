import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isForAudience, scopesOf } from '#jose'

test('B45: an audience must match exactly', () => {
  assert.ok(isForAudience({ aud: 'app' }, ['app']))
  assert.ok(isForAudience({ aud: ['other', 'app'] }, ['app']))
  assert.ok(isForAudience({ aud: ['other', 'app'] }, ['api', 'app']))
  assert.ok(isForAudience({ aud: 'app' }, ['api', 'app']))
  for (const aud of ['App', 'app ', 'apps', 'ap', '', null, 7, [], [['app']], { app: true }]) {
    assert.ok(!isForAudience({ aud } as never, ['app', 'api']), JSON.stringify(aud))
  }
  assert.ok(!isForAudience({}, ['app']))
  assert.ok(!isForAudience({ aud: 'app' }, []))
})

test('scopes are a list or text separated by spaces', () => {
  assert.deepEqual([...scopesOf({ scope: ['openid', 'mail'] })], ['openid', 'mail'])
  assert.deepEqual([...scopesOf({ scope: 'openid  mail ' })], ['openid', 'mail'])
  assert.deepEqual([...scopesOf({})], [])
  assert.deepEqual([...scopesOf({ scope: null })], [])
  assert.throws(() => scopesOf({ scope: 7 }), /neither text nor a list/)
  assert.throws(() => scopesOf({ scope: ['a', 7] }), /neither text nor a list/)
})
