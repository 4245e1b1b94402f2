// Scripts have no access to objects of the gateway through the values that represent them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { respond } from '#http'
import { HeapObject } from '#scripts'
import { scriptOf } from '#test/evaluate-script'

const VALUES = [
  'request',
  'request.headers',
  'request.uri',
  'request.entity',
  'request.cookies',
  'request.form',
  'new Response(Status.OK)',
  'Status.OK',
  'context',
  'contexts',
  'contexts.client',
  'attributes',
  'session',
  'http',
  'next',
  'logger',
  'clock',
  'args',
  'handler',
  'http.send(new Request().setUri("http://x.example.com/"))',
  "new ThrottlingRate(1, '1 s')",
  'new Cookie()',
  "new URL('http://x.example.com/').openConnection()",
  "new File('x')",
]

/** Names with a meaning in JavaScript, and names of internal fields of the values. */
const NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'hasOwnProperty',
  'host',
  'exposure',
  'send',
  'source',
  'outcome',
  'message',
  'rate',
  'klass',
  'read',
  'apply',
  'bind',
  'call',
]

test('JavaScript names and internal fields of values are not members', async () => {
  const source = `
    def found = []
    def values = [${VALUES.map((value) => `{ -> ${value} }`).join(', ')}]
    values.eachWithIndex { make, at ->
      for (name in names) {
        def value = make()
        try {
          def got = value."$name"
          if (got != null) found << "$at.$name"
        } catch (MissingPropertyException | NullPointerException e) { }
        try { value."$name" = 1 } catch (Exception e) { }
        try { value."$name"() } catch (Exception e) { }
      }
    }
    found`
  const script = scriptOf(source, {
    language: 'groovy',
    args: { names: NAMES, handler: new HeapObject('Handler', async () => respond(200)) },
    next: async () => respond(200),
    timeout: 10_000,
  })
  const found = (await script.evaluate()) as string[]
  // A URI has the member host, and headers have the field Host.
  const own = new Set(['request.uri.host', 'request.headers.host'])
  const unexpected = found.filter((each) => {
    const [at = '', name] = each.split('.')
    return !own.has(`${VALUES[Number(at)]}.${name}`)
  })
  assert.deepEqual(unexpected, [])
  assert.equal(Object.getPrototypeOf({}), Object.prototype)
  assert.equal(({} as Record<string, unknown>)['host'], undefined)
})

test('JavaScript names are ordinary keys of shared maps', async () => {
  const script = scriptOf(
    "attributes.'__proto__' = [polluted: 1]; session.'constructor' = 1; globals.'__proto__' = 2; attributes.keySet()",
    {
      language: 'groovy',
    },
  )
  assert.deepEqual(await script.evaluate(), ['__proto__'])
  assert.equal(({} as Record<string, unknown>)['polluted'], undefined)
})
