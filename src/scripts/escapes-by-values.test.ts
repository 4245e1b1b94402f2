import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findRealmEscapes } from '#test/script-escape'

const ATTEMPTS: Readonly<Record<string, string>> = {
  // Modified built-in functions of its own realm.
  'WeakMap.prototype.set': `spy(WeakMap.prototype, 'set'); await use()`,
  'methods of maps, sets, arrays and strings': `
    for (const proto of [Map.prototype, Set.prototype, Array.prototype, String.prototype]) {
      for (const key of ownKeys(proto)) if (key !== 'constructor') spy(proto, key)
    }
    await use()`,
  'functions of Reflect, Object, JSON and Array': `
    for (const holder of [Reflect, Object, JSON, Array]) for (const key of ownKeys(holder)) spy(holder, key)
    await use()`,
  'Symbol.hasInstance': `
    for (const C of [Error, TypeError, Set, Uint8Array, Request, Response, Promise]) {
      Object.defineProperty(C, Symbol.hasInstance, { value: (value) => { all(value); return false } })
    }
    await use()`,
  'constructors in the global object': `
    for (const name of ['Set', 'Map', 'Uint8Array', 'String', 'Number', 'Proxy', 'TypeError', 'RangeError', 'WeakMap']) {
      const original = globalThis[name]
      globalThis[name] = new RealmProxy(original, {
        construct: (target, args, self) => { all(...args); return construct(target, args, self) },
        apply: (target, self, args) => { all(...args); return apply(target, self, args) },
      })
    }
    await use()`,
  'a Promise in the global object': `
    const P = Promise
    globalThis.Promise = class extends P {
      constructor(executor) {
        super((resolve, reject) => executor((v) => { all(v); resolve(v) }, (e) => { all(e); reject(e) }))
      }
    }
    await use()`,
  'Promise.prototype.then': `
    const then = Promise.prototype.then
    Promise.prototype.then = function (f, r) {
      seen(this)
      return then.call(this, (v) => { all(v); return f?.(v) }, (e) => { all(e); if (r) return r(e); throw e })
    }
    Object.defineProperty(Promise.prototype, 'constructor', { get() { seen(this); return class extends Promise {} } })
    await use()`,
  'setters of Object.prototype': `
    const keys = ['value', 'get', 'set', 'message', 'callGateway', 'host', 'cause', 'stack', 'resolve', 'reject', '0', '1', 'then']
    const spied = { configurable: true, set(value) { seen(this); all(value) }, get() { seen(this); return undefined } }
    for (const key of keys) Object.defineProperty(own, key, spied)
    try { await use() } finally { for (const key of keys) delete own[key] }`,
  'Function.prototype.call, apply and bind': `for (const key of ['call', 'apply', 'bind']) spy(Function.prototype, key); await use()`,
  'RegExp.prototype': `for (const key of ['exec', 'test']) spy(RegExp.prototype, key); new Error('x').stack; await use()`,
  iterators: `
    const proto = getPrototypeOf([][Symbol.iterator]())
    const { next: original } = proto
    const iterate = Array.prototype[Symbol.iterator]
    proto.next = function () { const item = apply(original, this, arguments); seen(this); seen(item.value); return item }
    Array.prototype[Symbol.iterator] = function () { seen(this); return apply(iterate, this, arguments) }
    await use()`,

  // Values that the gateway accepts.
  'a thenable as its result': `return { then(resolve, reject) { all(this, resolve, reject); code(resolve); resolve(1) } }`,
  'a getter of its result': `return { get a() { all(this); return 1 } }`,
  'toJSON of its result': `return { toJSON() { all(this, arguments); return 1 } }`,
  'a proxy as its result': `return watching({ a: 1 })`,
  'a thrown proxy': `throw watching(new Error('x'))`,
  'a thrown proxy of a function': `throw watching(() => {})`,
  'proxies as data': `caught(() => { attributes.x = watching({}) }); caught(() => { session.x = watching([]) })`,
  'a proxy of a byte array': `
    caught(() => { request.entity = watching(new Uint8Array(2)) }); caught(() => { attributes.x = watching(new Uint8Array(2)) })
    return watching(new Uint8Array(2))`,
  'an object with the prototype of byte arrays': `
    const fake = Object.create(Uint8Array.prototype, {
      length: { get: looking(1) },
      [Symbol.iterator]: { value: looking([1][Symbol.iterator]()) },
    })
    caught(() => { request.entity = fake }); caught(() => { attributes.x = fake })`,
  'a species of byte arrays': `
    class B extends Uint8Array { static get [Symbol.species]() { return watching(Uint8Array) } }
    caught(() => { request.entity = new B(3) }); caught(() => { attributes.x = new B(3) })`,
  'values that the gateway converts to text': `
    const odd = { [Symbol.toPrimitive]: looking('x') }
    caught(() => request.headers.set(odd, 'a')); caught(() => { request.method = odd }); caught(() => { request.uri = odd })
    caught(() => logger.info(odd)); caught(() => { request.uri.path = odd }); caught(() => new Form().add(odd, odd).toString())
    caught(() => new ThrottlingRate(1, odd)); caught(() => Status.valueOf(odd))`,
  'a String that gives no text': `
    const odd = new RealmProxy(function () {}, { get: () => odd, apply: (t, self, args) => { all(self, args); return odd } })
    globalThis.String = () => odd
    for (const action of [
      () => logger.info('x'), () => request.headers.get('x'), () => { request.method = 'x' }, () => { request.uri = 'x' },
    ]) try { action() } catch (error) { seen(error) }
    throw new Error('x')`,
  'lists of header values': `
    caught(() => request.headers.set('X', watching(['a']))); caught(() => { request.headers = watching({ a: 'b' }) })
    caught(() => { request.headers = { a: { *[Symbol.iterator]() { all(this); yield 'x' } } } })`,
  'revivers and replacers': `
    caught(() => JSON.parse('[1]', function (key, value) { all(this, arguments); return value }))
    caught(() => JSON.stringify(request.headers, function (key, value) { seen(this); return value }))`,
  'species of arrays and promises': `
    class P extends Promise { static get [Symbol.species]() { return watching(Promise) } }
    await new P((resolve) => resolve(1)).then(seen)
    const values = request.headers.getAll('host')
    values.constructor = { [Symbol.species]: function () { all(this, arguments); return [] } }
    values.map(seen)`,

  // Values that the gateway passes.
  'results of promises': `
    const look = (value) => { all(value); code(value) }
    await Promise.all([
      next.handle(context, request).then(look, look),
      http.send(new Request({ uri: 'http://down.example.com/' })).then(look, look),
      handler.handle(request).then(look, look), handler.handle().then(look, look),
    ])`,
  'prototypes of data': `
    const { client, oauth2 } = contexts
    for (const value of [
      client, client.certificates, oauth2, oauth2.info, oauth2.info.groups, oauth2.scopes, request.cookies, request.queryParams,
      request.headers.getAll('host'), request.headers.names(), request.headers.entries(), data, list, session, attributes,
    ]) { seen(value); all(getPrototypeOf(value)); code(value) }`,
  'iterators of data': `
    for (const value of [request.headers, contexts.oauth2.scopes, list, request.headers.entries()]) {
      const iterator = value[Symbol.iterator]()
      all(iterator, getPrototypeOf(iterator), iterator.next)
    }`,
  'descriptors of members': `
    for (const value of [request.headers, contexts, contexts.client, attributes]) {
      for (const key of ownKeys(value)) all(getOwnPropertyDescriptor(value, key))
    }`,
  'content of messages': `
    const response = await next.handle(context, request)
    const bytes = await response.entity.bytes()
    all(response.headers, response.status, response.entity, bytes.buffer, getPrototypeOf(bytes)); code(bytes)`,
  'a generator': `
    function* g() { try { yield 1 } catch (error) { all(error) } finally { all(this) } }
    const it = g(); it.next(); caught(() => it.throw(new Error('x'))); all(getPrototypeOf(g), getPrototypeOf(it))`,
}

for (const [way, attempt] of Object.entries(ATTEMPTS)) {
  test(`a script can not escape its realm through ${way}`, async () => {
    assert.deepEqual([...(await findRealmEscapes(attempt))], [])
  })
}
