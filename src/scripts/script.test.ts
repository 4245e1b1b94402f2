import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Body, contextKey, type Response, respond } from '#http'
import { HeapObject } from '#scripts'
import { resultOf, scriptOf } from '#test/evaluate-script'
import { exchangeFor } from '#test/exchange'

const fault = async (promise: Promise<unknown>): Promise<string> => {
  const error = await promise.then(
    () => assert.fail('it has not failed'),
    (reason: unknown) => reason,
  )
  return `${(error as Error).name}: ${(error as Error).message}`
}

test('the result of a script is its return value', async () => {
  assert.equal(await resultOf('return 1 + 1'), 2)
  assert.deepEqual(await resultOf('return { a: [1, "x", null, true], b: new Set(["y"]) }'), {
    a: [1, 'x', null, true],
    b: ['y'],
  })
  assert.equal(await resultOf('const x = 1'), null)
})

test('await works', async () => {
  assert.equal(await resultOf('const x = await Promise.resolve(20); return x + (await 1)'), 21)
})

test('types of TypeScript are stripped', async () => {
  const source = 'const x: number = 1\nreturn (x as unknown) satisfies unknown'
  assert.equal(await resultOf(source, { language: 'typescript' }), 1)
})

test('an exception of a script is a fault with its file, line and column', async () => {
  assert.equal(await fault(resultOf('throw new Error("no")')), 'ScriptError: test.js:1:7: no')
  assert.equal(
    await fault(resultOf('\n  null.foo')),
    "ScriptError: test.js:2:8: TypeError: Cannot read properties of null (reading 'foo')",
  )
  assert.equal(
    await fault(resultOf('await 1\nmissing()')),
    'ScriptError: test.js:2:1: ReferenceError: missing is not defined',
  )
  assert.equal(await fault(resultOf('throw "text"')), 'ScriptError: threw text')
  assert.equal(await fault(resultOf('throw undefined')), 'ScriptError: threw undefined')
  assert.equal(await fault(resultOf('throw {}')), 'ScriptError: threw an object without a message; throw an Error')
  for (const odd of [
    'new Proxy({}, { get() { throw 1 } })',
    '{ message: Symbol() }',
    '{ message: "", get stack() { throw 1 } }',
  ]) {
    assert.equal(
      await fault(resultOf(`throw ${odd}`)),
      'ScriptError: threw an object that can not be read; throw an Error',
    )
  }
  const typed = 'const x: string | null = null\nreturn x!.length'
  assert.match(await fault(resultOf(typed, { language: 'typescript' })), /test\.js:2:11/)
})

test('a return value of the wrong type is a fault', async () => {
  const expected = async (source: string, shape: 'response' | 'texts' | 'text' | 'rate') =>
    fault(scriptOf(source).evaluate(shape))
  assert.match(await expected('return "x"', 'response'), /expected the script to return a Response, got string/)
  assert.match(await expected('return { status: 200 }', 'response'), /a Response, got object/)
  assert.match(await expected('return null', 'texts'), /a Set or an array of strings, got null/)
  assert.match(await expected('return "a b"', 'texts'), /a Set or an array of strings, got string/)
  assert.match(await expected('return ["a", 1]', 'texts'), /nothing but strings, got number/)
  assert.match(await expected('return 1', 'text'), /a string, got number/)
  assert.match(await expected('return { numberOfRequests: 1, duration: 1 }', 'rate'), /a ThrottlingRate, got object/)
  assert.match(await fault(scriptOf('return () => 1').evaluate()), /a function can not be passed to the gateway/)
  assert.match(await fault(scriptOf('const x = {}; x.x = x; return x').evaluate()), /circular/i)
})

test('each shape of result is converted to data of the gateway', async () => {
  assert.equal(await scriptOf('return null').evaluate('response'), null)
  assert.deepEqual(await scriptOf('return new Set(["a", "b"])').evaluate('texts'), ['a', 'b'])
  assert.deepEqual(await scriptOf('return ["a"]').evaluate('texts'), ['a'])
  assert.equal(await scriptOf('return "x"').evaluate('text'), 'x')
  const rate = await scriptOf('return new ThrottlingRate(5, "10 seconds")').evaluate('rate')
  assert.deepEqual({ ...(rate as object) }, { numberOfRequests: 5, duration: 10_000 })
  assert.equal(await scriptOf('return null').evaluate('rate'), null)
  assert.match(await fault(scriptOf('return new ThrottlingRate(0, "1 s")').evaluate('rate')), /at least 1/)
})

test('globals persist between evaluations, also after a change of the script', async () => {
  const script = scriptOf('globals.count = (globals.count ?? 0) + 1; return globals.count')
  assert.equal(await script.evaluate(), 1)
  assert.equal(await script.evaluate(), 2)
  await script.replace('return globals.count * 100')
  assert.equal(await script.evaluate(), 200)
})

test('scripts of two objects share nothing', async () => {
  const one = scriptOf(
    'Array.prototype.mine = 1; Object.defineProperty(globalThis, "shared", { value: 2 }); return [].mine',
  )
  const other = scriptOf('return [[].mine ?? null, typeof shared]')
  assert.equal(await one.evaluate(), 1)
  assert.deepEqual(await other.evaluate(), [null, 'undefined'])
  assert.equal('mine' in [], false)
})

test('code can not be compiled from text', async () => {
  assert.match(await fault(resultOf('return eval("1")')), /EvalError/)
  assert.match(await fault(resultOf('return new Function("return 1")()')), /EvalError/)
  assert.match(await fault(resultOf('return request.constructor.constructor("return process")()')), /EvalError/)
  assert.match(
    await fault(resultOf('return contexts.client.certificates.constructor.constructor("return process")()')),
    /EvalError/,
  )
})

test('globals of Node are not in scope', async () => {
  assert.deepEqual(await resultOf('return [typeof process, typeof require, typeof fetch, typeof setTimeout]'), [
    'undefined',
    'undefined',
    'undefined',
    'undefined',
  ])
})

test('globals that run code outside of the watchdog, or block on another thread, are missing', async () => {
  const source =
    'return [typeof FinalizationRegistry, typeof Atomics, typeof SharedArrayBuffer, typeof WebAssembly, typeof console]'
  assert.deepEqual(new Set((await resultOf(source)) as string[]), new Set(['undefined']))
})

test('objects of an earlier request, stored in globals, are unusable', async () => {
  const script = scriptOf('globals.http = http')
  await script.evaluate()
  await script.replace("return globals.http.send(new Request({ uri: 'http://x.example.com/' }))")
  assert.equal(await fault(script.evaluate()), 'ScriptError: the request that this belongs to has ended')
})

test('properties are in scope by name and under properties', async () => {
  const properties = { limit: 5, hosts: { main: 'a' } }
  assert.deepEqual(await resultOf('return [limit, hosts.main, properties.hosts, typeof unknown]', { properties }), [
    5,
    'a',
    { main: 'a' },
    'undefined',
  ])
  assert.match(await fault(resultOf('properties.limit = 6', { properties })), /can not be changed/)
  assert.match(
    await fault(resultOf('limit = 6', { properties })),
    /the property "limit" can not be changed by a script/,
  )
  assert.match(
    await fault(resultOf('undeclared = 6', { properties })),
    /ReferenceError: undeclared is not defined; declare it/,
  )
})

test('arguments are in scope by name', async () => {
  const args = { text: 'x', list: [1, { a: null }] }
  assert.deepEqual(await resultOf('return { text, list, array: Array.isArray(list) }', { args }), {
    text: 'x',
    list: [1, { a: null }],
    array: true,
  })
})

test('an evaluation can have its own data', async () => {
  const values: Record<string, unknown> = { value: { n: 1 } }
  const script = scriptOf('value.n += 1; return value', { values })
  assert.deepEqual({ ...((await script.evaluate()) as object) }, { n: 2 })
  values['value'] = { n: 5 }
  assert.deepEqual({ ...((await script.evaluate()) as object) }, { n: 6 })
})

test('handlers and filters of the heap can be called', async () => {
  const args = {
    echo: new HeapObject('Handler', async ({ request }: ReturnType<typeof exchangeFor>) =>
      respond(200, {}, `${request.method} ${request.uri}`),
    ),
    nested: { filter: new HeapObject('Filter', async () => respond(403)) },
  }
  const source = `
    const answer = await echo.handle(context, new Request({ method: 'PUT', uri: 'http://x.example.com/y' }))
    const refused = await nested.filter.filter(context, request)
    return [await answer.entity.string(), refused.statusCode]`
  assert.deepEqual(await resultOf(source, { args }), ['PUT http://x.example.com/y', 403])
})

test('contexts have the same members as in expressions', async () => {
  const exchange = exchangeFor('GET', 'http://a.example.com/x').with(
    contextKey<{ info: object; scopes: Set<string> }>('oauth2'),
    { info: { sub: 'me', groups: ['a'] }, scopes: new Set(['s']) },
  )
  const source = `return {
    client: contexts.client.remoteAddress,
    sub: contexts.oauth2.info.sub,
    groups: contexts.oauth2.info.groups.map((each) => each + '!'),
    scopes: [...contexts.oauth2.scopes],
    leaf: context.contextName,
    parent: context.parent.contextName,
    original: String(contexts.router.originalUri.host),
    missing: contexts.cdsso ?? 'none',
    names: Object.keys(contexts),
  }`
  assert.deepEqual(await resultOf(source, { exchange }), {
    client: '127.0.0.1',
    sub: 'me',
    groups: ['a!'],
    scopes: ['s'],
    leaf: 'oauth2',
    parent: 'router',
    original: 'a.example.com',
    missing: 'none',
    names: [
      'root',
      'session',
      'client',
      'transactionId',
      'requestAudit',
      'accessAuditExtension',
      'attributes',
      'router',
      'oauth2',
    ],
  })
})

test('attributes and session accept data that other objects see', async () => {
  const exchange = exchangeFor('GET', 'http://a.example.com/')
  exchange.attributes['before'] = { list: [1] }
  exchange.session.set('user', 'me')
  const source = `
    attributes.after = { name: 'x', at: [true] }
    session.count = 1
    session.user = null
    delete attributes.before
    return [attributes.after.name, session.count, 'user' in session, Object.keys(attributes), attributes.none ?? null]`
  assert.deepEqual(await resultOf(source, { exchange }), ['x', 1, false, ['after'], null])
  assert.deepEqual(JSON.parse(JSON.stringify(exchange.attributes)), { after: { name: 'x', at: [true] } })
  assert.deepEqual([exchange.session.get('count'), exchange.session.get('user')], [1, null])
})

test('assignments to read-only members throw', async () => {
  assert.match(
    await fault(resultOf('contexts.client.remoteAddress = "1.2.3.4"')),
    /"remoteAddress" can not be changed by a script/,
  )
})

test('logger writes under the name of the object, with arguments in place of {}', async () => {
  const { log, evaluate } = scriptOf('logger.info("{} of {}", 1, { a: "b" }, "more"); logger.warn("careful")')
  await evaluate()
  const lines = log.lines.map((line) => JSON.parse(line) as { level: string; message: string })
  assert.deepEqual(
    lines.map(({ level, message }) => [level, message]),
    [
      ['info', '1 of {"a":"b"} more'],
      ['warn', 'careful'],
    ],
  )
})

test('http sends through the client handler', async () => {
  const sent: string[] = []
  const clientHandler = async ({ request }: ReturnType<typeof exchangeFor>) => {
    await request.body.read(1_000)
    sent.push(`${request.method} ${request.uri} ${[...request.headers].join(';')} ${request.body.text()}`)
    return respond(201, { 'X-A': 'b' }, '{"a":[1]}')
  }
  const source = `
    const answer = await http.send(new Request({ method: 'POST', uri: 'http://api.example.com/x', headers: { 'X-Q': ['1', '2'] }, entity: { q: 1 } }))
    const again = await http.send(context, new Request({ uri: 'http://api.example.com/y' }))
    return [answer.statusCode, answer.headers.get('x-a'), (await answer.entity.json()).a, again.status === Status.CREATED]`
  assert.deepEqual(await resultOf(source, { clientHandler }), [201, 'b', [1], true])
  assert.deepEqual(sent, [
    'POST http://api.example.com/x X-Q,1;X-Q,2;Content-Type,application/json;Host,api.example.com {"q":1}',
    'GET http://api.example.com/y Host,api.example.com ',
  ])
})

test('a fault of a called object can be caught, and is otherwise the fault of the request', async () => {
  const down = new Error('the upstream is down')
  const clientHandler = () => Promise.reject(down)
  const call = "await http.send(new Request({ uri: 'http://x.example.com/' }))"
  assert.equal(
    await resultOf(`try { ${call} } catch (error) { return error.message }`, { clientHandler }),
    down.message,
  )
  await assert.rejects(resultOf(call, { clientHandler }), (error) => error === down)
})

test('responses that a script does not return are cancelled', async () => {
  const left: Response[] = []
  const answer = async () => {
    const response = respond(200)
    const cancel = () => left.push(response)
    response.body = Body.fromSource({ start: () => undefined, resume: () => undefined, cancel })
    return response
  }
  const passed = await scriptOf(
    "await http.send(new Request({ uri: 'http://x/' })); return next.handle(context, request)",
    { clientHandler: answer, next: answer },
  ).evaluate('response')
  assert.equal(left.length, 1)
  assert.notEqual(left[0], passed)
})
