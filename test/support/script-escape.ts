import assert from 'node:assert/strict'
import { contextKey, type Exchange, respond } from '#http'
import { HeapObject } from '#scripts'
import { type ScriptOptions, scriptOf } from './evaluate-script.ts'
import { exchangeFor } from './exchange.ts'

/**
 * Prepended to every attempt. `seen` records a value of another realm: its prototype chain ends at an object with a
 * constructor that is not this realm's Object.prototype. `all` checks the members too, `code` tries to compile text through the
 * constructor of a value, and `caught` checks the result or exception of an action. `spy` checks the arguments of a built-in
 * function, and every trap of `watching(target)` is a proxy, whose arguments V8 creates in the realm of the caller.
 */
const PRELUDE = `
const found = (globals.found ??= [])
const { getPrototypeOf, getOwnPropertyDescriptor, hasOwn, fromEntries } = Object
const { ownKeys, apply, construct } = Reflect
const RealmProxy = Proxy
const own = Object.prototype
const global = getPrototypeOf(globalThis)
const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function'
const seen = (value, where = 'a value') => {
  if (!isObject(value)) return value
  let top = value
  for (let p = getPrototypeOf(top); p !== null; p = getPrototypeOf(top)) top = p
  if (top !== own && top !== global && hasOwn(top, 'constructor')) found[found.length] = where + ' is of another realm'
  return value
}
const all = (...values) => {
  for (let at = 0; at < values.length; at += 1) {
    const value = seen(values[at])
    const keys = isObject(value) ? ownKeys(value) : []
    for (let k = 0; k < keys.length; k += 1) {
      const { value: member, get, set } = getOwnPropertyDescriptor(value, keys[k]) ?? {}
      seen(member, 'a member'); seen(get, 'a getter'); seen(set, 'a setter')
    }
  }
}
const made = (make) => {
  try { if (make() !== undefined) found[found.length] = 'code from text ran' } catch (error) { seen(error, 'an error') }
}
const code = (value) => made(() => value.constructor.constructor('return process')())
const caught = (action) => {
  try { seen(action()) } catch (error) { seen(error, 'an error'); code(error) }
}
const spy = (holder, key) => {
  const original = holder[key]
  if (typeof original !== 'function' || key === 'prototype') return
  try { holder[key] = function (...args) { seen(this); all(...args); return apply(original, this, args) } } catch {}
}
const trap = (name) => new RealmProxy(() => {}, {
  apply: (target, self, args) => { seen(self); all(args); all(...args); return apply(Reflect[name], undefined, args) },
})
const TRAPS = fromEntries(ownKeys(Reflect).filter((key) => typeof key === 'string').map((key) => [key, trap(key)]))
const watching = (target) => new RealmProxy(target, TRAPS)
const looking = (value) => new RealmProxy(() => value, { apply: (t, self, args) => { seen(self); all(args); return value } })
const statics = (start, argument) => {
  for (let c = start; c !== null && c !== undefined; c = getPrototypeOf(c)) {
    for (const key of ownKeys(c)) if (typeof c[key] === 'function') caught(() => { const it = c[key](argument); all(it); return it })
  }
}
const atEveryDepth = (deep) => {
  for (let round = 0; round < 2; round += 1) {
    let [fits, fails] = [0, 100_000]
    while (fails - fits > 1) {
      const n = (fits + fails) >> 1
      try { deep(n); fits = n } catch { fails = n }
    }
    for (let n = fits - 120; n < fits + 5; n += 1) try { deep(n) } catch (error) { seen(error, 'an error') }
  }
}
const BINDINGS = [request, context, contexts, attributes, session, http, logger, properties, next, handler, data, list,
  Status, Form, ThrottlingRate, Request, Response]
const use = async () => {
  try { request.uri = 'http://[' } catch (error) { seen(error, 'an error') }
  request.headers.names(); request.headers.entries(); request.headers.set('X-A', ['a', 'b']); request.headers.get('host')
  request.cookies; request.queryParams; request.uri.path; request.method; request.version
  attributes.x = { a: [1], b: new Set([1]) }; attributes.x; session.y = [2]; contexts.client.remoteAddress
  contexts.oauth2.scopes; contexts.oauth2.info; Object.keys(contexts); 'x' in contexts; data.a; properties.limit
  new Form('a=b').getAll('a'); String(new Form({ a: ['b'] })); new Response({ status: 200, headers: { a: 'b' }, entity: 'x' })
  logger.info('x {}', { a: 1 })
  const response = await next.handle(context, request)
  response.status; response.headers.get('x-a'); await response.entity.string(); await response.entity.bytes()
  try { await http.send(new Request({ uri: 'http://down.example.com/' })) } catch (error) { all(error) }
}
`

function exchange(): Exchange {
  const made = exchangeFor('GET', 'http://app.example.com/path?q=1&q=2').with(
    contextKey<{ info: object; scopes: Set<string> }>('oauth2'),
    { info: { sub: 'me', groups: ['a'] }, scopes: new Set(['s']) },
  )
  made.request.headers.add('Host', 'app.example.com')
  made.request.headers.add('Cookie', 'a=b')
  return made
}

const options = (): ScriptOptions => ({
  args: { data: { a: [1] }, list: ['a'], handler: new HeapObject('Handler', async () => respond(200)) },
  properties: { limit: 5, hosts: { main: 'a' } },
  next: async () => respond(200, { 'X-A': 'b' }, 'text'),
  clientHandler: async () => {
    throw Object.assign(new TypeError('down', { cause: new Error('inner') }), { errors: [new Error('x')] })
  },
  exchange: exchange(),
  timeout: 4_000,
})

/** Runs an attempt to leave the realm, and returns its findings; none for text that does not compile. */
export async function findRealmEscapes(attempt: string): Promise<readonly string[]> {
  const script = scriptOf('return 1', options())
  await script.evaluate()
  try {
    await script.replace(`${PRELUDE}${attempt}`)
  } catch (error) {
    assert.equal((error as Error).name, 'ScriptSyntaxError')
    return []
  }
  // The attempt may fail; another evaluation reads its findings.
  await script.evaluate().catch((error: unknown) => assert.ok(error instanceof Error))
  await script.replace('const all = globals.found; return all.filter((each, at) => all.indexOf(each) === at)')
  return (await script.evaluate()) as readonly string[]
}
