import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findRealmEscapes } from '#test/script-escape'

const ATTEMPTS: Readonly<Record<string, string>> = {
  // Constructors of functions.
  'the constructor of this': `code(this)`,
  'the constructor of the global object': `code(globalThis)`,
  'the constructor of the request': `code(request)`,
  'the constructor of async functions': `made(() => (async () => {}).constructor('return process')())`,
  'the constructor of generators': `made(() => (function* () {}).constructor('return process')().next())`,
  'the constructor of async generators': `made(() => (async function* () {}).constructor('yield process')().next())`,
  'the Function constructor': `made(() => new Function('return process')()); made(() => Function('return process')())`,
  'eval, direct and indirect': `made(() => eval('process')); made(() => (0, eval)('process'))`,
  'a construction of Function for another target': `made(() => construct(Function, ['return process'], class {})())`,
  'the constructors of its bindings': `for (const each of BINDINGS) { code(each); seen(each.constructor) }`,
  'the members of its bindings': `for (const each of BINDINGS) for (let p = each; p !== null; p = getPrototypeOf(p)) all(p)`,
  'functions of its bindings': `all(next.handle, http.send, logger.info, request.headers.get, handler.handle)`,

  // Classes of the bindings.
  'static members of the class of requests': `statics(request.constructor, request); statics(Request, request)`,
  'static members of the class of URIs': `statics(request.uri.constructor, request.uri)`,
  'static members of the class of entities': `statics(request.entity.constructor, request.entity)`,
  'static members of the class of responses': `
    const response = await next.handle(context, request)
    statics(response.constructor, response); statics(Response, response)`,
  'a request with a callback of the script': `
    const callGateway = (...args) => { all(...args) }
    for (const C of [request.constructor, Request, getPrototypeOf(Request)]) {
      for (const args of [[undefined, { callGateway }], [undefined, callGateway], [request, callGateway], [() => request]]) {
        try { const made = new C(...args); made.method; await made.entity.string() } catch (error) { seen(error) }
      }
    }`,
  'an entity with a callback of the script': `
    try {
      request.entity = new request.entity.constructor({ body: {} }, (...args) => { all(...args) })
      await request.entity.string()
    } catch (error) { seen(error) }`,
  'an entity with an object of the script as its host': `
    caught(() => { request.entity = new request.entity.constructor(watching({ body: {} }), async () => {}) })`,
  'a URI with an object of the script as its host': `
    caught(() => { request.uri = new request.uri.constructor(watching({})); String(request.uri); request.uri.path })`,
  'header fields with an object of the script as their host': `
    caught(() => {
      const headers = new (getPrototypeOf(request.headers).constructor)(watching({}))
      headers.get('x'); headers.names(); request.headers = headers
    })`,
  'methods of header fields on other objects': `
    for (const self of [{}, watching({})]) caught(() => request.headers.get.call(self, 'x'))`,
  'accessors of messages on other objects': `
    for (const proto of [getPrototypeOf(request), getPrototypeOf(request.uri), getPrototypeOf(request.entity)]) {
      for (const key of ownKeys(proto)) {
        const { get, set, value } = getOwnPropertyDescriptor(proto, key)
        for (const each of [get, set, value]) if (typeof each === 'function') for (const self of [request, {}, watching({})]) {
          caught(() => { const result = each.call(self); if (result instanceof Promise) result.catch(seen); return result })
        }
      }
    }`,

  // Modules.
  'an import': `await import('node:fs'); found.push('imported')`,
  'the error of an import': `try { await import('node:fs') } catch (error) { all(error); code(error) }`,
  'the promise of an import': `const p = import('x'); all(p); p.catch((error) => all(error)); await 1; await 1`,
  'the specifier of an import': `
    import({ toString: looking('node:fs') }).catch((error) => all(error)); await 1; await 1; await 1`,
  'the attributes of an import': `
    import('data:text/json,{}', { with: { type: 'json' } }).catch((error) => all(error)); await 1; await 1; await 1`,
  'an import in a template': "`${import/* */('node:fs').catch((error) => all(error))}`; await 1; await 1",
  'an import in a class field': `class A { static x = import('x').catch((error) => all(error)) } await 1; await 1`,
  'an import of a later phase': `import.defer('node:fs').catch((error) => all(error)); await 1`,
  'a static import': `import fs from 'node:fs'; found.push('imported')`,
  'import.meta': `all(import.meta)`,
  'require, process and Buffer': `
    for (const get of [() => require, () => module, () => process, () => globalThis.process, () => Buffer]) caught(get)`,

  // Errors and their stacks.
  'Error.prepareStackTrace': `
    caught(() => {
      Error.prepareStackTrace = (error, sites) => {
        all(error, sites)
        for (const site of sites) all(site, site.getThis(), site.getFunction(), site.getEvalOrigin())
      }
    })
    new Error('x').stack
    const captured = {}
    Error.captureStackTrace?.(captured)
    captured.stack
    await 1
    new Error('y').stack`,
  'another Error with prepareStackTrace': `
    caught(() => { Object.defineProperty(globalThis, 'Error', { value: { prepareStackTrace: (e, sites) => all(e, sites, ...sites) } }) })
    caught(() => { globalThis.Error = { prepareStackTrace: (e, sites) => all(e, sites, ...sites) } })
    try { null.x } catch (error) { error.stack }`,
  'the name of an error, without text': `
    const error = new Error('x'); error.name = Symbol(); caught(() => error.stack)
    const other = new Error('x'); other.message = Symbol(); caught(() => other.stack)`,
  'the name of an error, with a text of its own': `
    const error = new Error('x'); error.name = { toString: looking('x') }; caught(() => error.stack); throw error`,
  'a stack trace that is read at a stack overflow': `
    const problems = []
    const deep = (n) => {
      if (n > 0) return deep(n - 1)
      const error = new Error('x')
      try { error.stack } catch (problem) { problems[problems.length] = problem }
    }
    atEveryDepth(deep)
    for (const problem of problems) {
      try { problem.constructor.constructor('return 1')(); found.push('code from text ran') } catch {}
    }`,
  'functions of the gateway at a stack overflow': `
    const calls = [
      () => request.method, () => request.headers.get('host'), () => contexts.client.remoteAddress, () => request.uri.path,
      () => new Request({ uri: 'http://x/' }), () => properties.limit, () => logger.info('x'), () => { attributes.x = { a: 1 } },
      () => new Form('a=b').toString(), () => Status.valueOf(404), () => { request.uri = 'http://[' },
    ]
    for (const call of calls) {
      const problems = []
      const deep = (n) => {
        if (n > 0) return deep(n - 1)
        try { call() } catch (problem) { problems[problems.length] = problem }
      }
      atEveryDepth(deep)
      for (const problem of problems) seen(problem, String(call))
    }`,
  'errors of the gateway': `
    caught(() => { request.uri = 'http://[' }); caught(() => { request.method = 'A B' })
    caught(() => new Response({ status: 99999 })); caught(() => request.headers.set('a b', 'c'))
    caught(() => { contexts.client.remoteAddress = 1 }); caught(() => { request.entity = () => 1 })`,
  'the cause of an error of the gateway': `
    try { await http.send(new Request({ uri: 'http://down.example.com/' })) } catch (error) {
      all(error, error.cause, error.errors); code(error)
    }`,
  'the callers of functions': `
    function f() { return f.caller }
    caught(f); caught(() => (function () { return arguments.callee })()); caught(() => request.headers.get.caller)`,

  // Missing globals.
  'timers that accept text': `
    for (const name of ['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask']) made(() => globalThis[name]('process'))`,
  'clones and messages': `
    for (const name of ['structuredClone', 'MessageChannel', 'Worker', 'BroadcastChannel']) {
      if (globalThis[name] !== undefined) found.push(name)
    }`,
  'WebAssembly, shared memory, finalizers or realms': `
    for (const name of ['WebAssembly', 'SharedArrayBuffer', 'Atomics', 'FinalizationRegistry', 'ShadowRealm', 'console']) {
      if (name in globalThis) found.push(name)
    }`,
  'members of the global object': `
    for (const key of ownKeys(globalThis)) { seen(globalThis[key], String(key)); seen(globalThis[key]?.prototype, String(key)) }`,
  'the prototype of the global object': `
    all(global); caught(() => globalThis.__proto__)
    caught(() => Object.setPrototypeOf(globalThis, watching({}))); caught(() => undeclared)`,
  'this of a function': `
    const self = function () { return this }
    seen(self()); seen([1].map(self)[0]); seen(apply(self, undefined, []))`,
}

for (const [way, attempt] of Object.entries(ATTEMPTS)) {
  test(`a script can not escape its realm through ${way}`, async () => {
    assert.deepEqual([...(await findRealmEscapes(attempt))], [])
  })
}
