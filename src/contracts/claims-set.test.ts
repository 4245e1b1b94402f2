import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ClaimsSet } from '#contracts'
import { compile, scopeOf } from '#expression'

const claims = new ClaimsSet({ sub: 'demo', iss: 'https://am.example.com', 'a b': [1, 2], realm: '/' })

function value(expression: string): unknown {
  return compile(expression).evaluate(scopeOf({ claims }))
}

test('expressions read claims by claim name, by long name and by method', () => {
  assert.equal(value('${claims.sub}'), 'demo')
  assert.equal(value("${claims['a b'][1]}"), 2)
  assert.equal(value('${claims.subject}'), 'demo')
  assert.equal(value('${claims.issuer}'), 'https://am.example.com')
  assert.equal(value("${claims.getClaim('realm')}"), '/')
  assert.equal(value("${claims.isDefined('realm')}"), true)
  assert.equal(value("${claims.isDefined('none')}"), false)
})

test('an unknown claim is null, also one named like a property of Object.prototype', () => {
  for (const name of ['none', 'constructor', '__proto__', 'values', 'toString']) {
    assert.equal(value(`\${claims['${name}']}`), null, name)
    assert.equal(claims.get(name), null)
  }
  assert.equal(value('${claims.expirationTime}'), null)
})
