import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LazyValue } from '#expression'
import { contextKey, lazyMembers, loadLazyMembers } from '#http'
import { exchangeFor } from '#test/exchange'
import { decodeInto } from './field.ts'
import { condition, leftValue, type Runtime, runtime } from './index.ts'

const scope = { lookup: () => undefined }
const bound = <T>(field: Parameters<typeof decodeInto>[0], source: unknown): T => {
  const deferred = decodeInto(field, source, (message) => assert.fail(message), []) as {
    settle(context: unknown, pointer: string): T
  }
  return deferred.settle({ scope, warn: () => {} }, '')
}

/** An exchange whose context `login` has a member that is fetched on first read. */
function exchangeWith(fetch: () => Promise<unknown>) {
  const lazy = new LazyValue(fetch)
  const value = {
    user: 'demo',
    get info() {
      return lazy.value
    },
    [lazyMembers]: { info: () => lazy.load() },
  }
  return exchangeFor('GET', 'http://app.example/').with(contextKey<object>('login'), value)
}

test('a lazy value is fetched once, by the first expression that reads it', async () => {
  let fetches = 0
  const exchange = exchangeWith(async () => {
    fetches += 1
    return { name: 'Demo' }
  })
  assert.equal(bound<Runtime<string>>(runtime('string'), '${contexts.login.user}')(exchange), 'demo')
  assert.equal(fetches, 0)
  const name = bound<Runtime<string>>(runtime('string'), '${contexts.login.info.name} at ${contexts.login.user}')
  const later = name(exchange)
  assert.ok(later instanceof Promise)
  assert.equal(await later, 'Demo at demo')
  assert.equal(name(exchange), 'Demo at demo', 'what is there is read at once')
  assert.equal(await bound<Runtime<boolean>>(condition(), "${contexts.login.info.name == 'Demo'}")(exchange), true)
  assert.equal(fetches, 1)
})

test('a branch that is not taken fetches nothing', () => {
  const exchange = exchangeWith(() => assert.fail('nothing reads it'))
  const either = bound<Runtime<string>>(
    runtime('string'),
    "${contexts.login.user == 'demo' ? 'yes' : contexts.login.info}",
  )
  assert.equal(either(exchange), 'yes')
})

test('a copy of the whole context waits for the value too', async () => {
  const exchange = exchangeWith(async () => ({ name: 'Demo' }))
  const source = bound<Runtime<object>>(runtime('any'), '${contexts.login}')
  assert.ok(source(exchange) !== null)
  const json = bound<Runtime<string>>(runtime('string'), '${contexts.login.info}${contexts.login.user}')
  assert.match(String(await json(exchange)), /Demo.*demo/)
})

test('outside of evaluations the value is null until it is fetched', async () => {
  const lazy = new LazyValue(async () => 'there')
  assert.equal(lazy.value, null)
  await lazy.load()
  assert.equal(lazy.value, 'there')
})

test('an assignment whose target depends on the value waits for it', async () => {
  const exchange = exchangeWith(async () => 'key')
  const assign = bound<(exchange: unknown, response: null, value: unknown) => Promise<void>>(
    leftValue(),
    '${attributes[contexts.login.info]}',
  )
  await assign(exchange, null, 1)
  assert.equal(exchange.attributes['key'], 1)
})

test('a failed fetch fails the evaluation', async () => {
  const exchange = exchangeWith(() => Promise.reject(new Error('gone')))
  const name = bound<Runtime<string>>(runtime('string'), '${contexts.login.info.name}')
  await assert.rejects(Promise.resolve(name(exchange)), /gone/)
})

test('members that the source of a script mentions are fetched before it runs', async () => {
  let fetches = 0
  const exchange = exchangeWith(async () => {
    fetches += 1
    return 'there'
  })
  assert.equal(loadLazyMembers(exchange, 'return contexts.login.user'), null)
  await loadLazyMembers(exchange, 'return contexts.login.info')
  assert.equal((exchange.context(contextKey<{ info: string }>('login')) as { info: string }).info, 'there')
  assert.equal(fetches, 1)
})
