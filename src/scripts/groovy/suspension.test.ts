import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { Body, type Handler, Response, respond } from '#http'
import { scriptOf } from '#test/evaluate-script'
import { groovyResponse, groovyValue } from '#test/groovy-script'
import { waitUntil } from '#test/waiting'

/** Responds to each request with its path, when the test releases it. */
function delayedHandler(): { handler: Handler; release: () => void; waiting: string[] } {
  const held: (() => void)[] = []
  const waiting: string[] = []
  const handler: Handler = ({ request }) =>
    new Promise((resolve) => {
      waiting.push(request.uri.path)
      held.push(() => resolve(respond(200, {}, `from ${request.uri.path}`)))
    })
  return {
    handler,
    waiting,
    release: () => {
      for (const each of held.splice(0)) each()
    },
  }
}

const send = (path: string) => `http.send(new Request().setMethod('GET').setUri('http://x.example.com${path}'))`

test('a script that waits does not block others', async () => {
  const { handler, release, waiting } = delayedHandler()
  const script = scriptOf(`${send('/a')}.get().entity.string`, { language: 'groovy', clientHandler: handler })
  const first = script.evaluate()
  const second = script.evaluate()
  await waitUntil('two scripts were suspended', () => waiting.length >= 2)
  release()
  assert.deepEqual(await Promise.all([first, second]), ['from /a', 'from /a'])
})

test('waiting in loops, closures, conditions and try blocks', async () => {
  const clientHandler: Handler = async ({ request }) => respond(200, {}, request.uri.path.slice(1))
  const source = `
    def ask = { p -> http.send(new Request().setUri("http://x.example.com/\${p}")).get().entity.string }
    def all = []
    for (i in 1..3) all << ask(i)
    all.addAll(['a', 'b'].collect { ask(it) })
    try { if (ask('yes') == 'yes') throw new IllegalStateException(ask('why')) } catch (e) { all << e.message } finally { all << ask('end') }
    all + [x: ask('m')].collect { k, v -> "$k=$v" }`
  assert.deepEqual(await groovyValue(source, { clientHandler }), ['1', '2', '3', 'a', 'b', 'why', 'end', 'x=m'])
})

test('then, thenAsync, thenOnResult and similar methods', async () => {
  const next: Handler = async () => respond(200, {}, 'up')
  const clientHandler: Handler = async () => respond(200, {}, 'other')
  const changed = 'next.handle(context, request).then { r -> r.entity = r.entity.string.toUpperCase(); r }'
  assert.match(await groovyResponse(changed, { next }), /UP$/)
  const asynchronous = `
    next.handle(context, request)
      .thenAsync { r -> ${send('/')}.then { o -> r.entity = r.entity.string + o.entity.string; r } }
      .thenOnResult { it.headers['X-T'] = 't' }`
  assert.match(await groovyResponse(asynchronous, { next, clientHandler }), /X-T: t \| upother$/)
  const source = `
    import org.forgerock.util.promise.Promises
    def log = []
    def failed = Promises.newExceptionPromise(new IOException('down'))
    def all = [
      Promises.newResultPromise(5).then { it + 1 }.get(),
      failed.then({ 'no' }, { e -> e.message }).get(),
      failed.thenCatch { 'caught' }.getOrThrow(),
      failed.thenCatchAsync { Promises.newResultPromise('async') }.get(),
      Promises.newResultPromise(1).thenAsync({ Promises.newResultPromise(it + 1) }).get(),
      Promises.when([Promises.newResultPromise(1), Promises.newResultPromise(2)]).get(),
      failed.thenOnException { log << it.message }.thenCatch { 'x' }.get(),
      Promises.newResultPromise(1).thenAlways { log << 'always' }.get(),
      Promises.newResultPromise(1).then({ throw new RuntimeException('late') }, null, { 'runtime' }).thenCatch { it.message }.get(),
      Response.newResponsePromise(new Response(Status.OK)).get().status.code]
    all + log`
  assert.deepEqual(await groovyValue(source), [
    6,
    'down',
    'caught',
    'async',
    2,
    [1, 2],
    'x',
    1,
    'late',
    200,
    'down',
    'always',
  ])
})

test('a thenAsync function that returns no promise fails with the reason', async () => {
  const source = 'org.forgerock.util.promise.Promises.newResultPromise(1).thenAsync { 2 }.get()'
  assert.match(String(await groovyValue(source)), /ClassCastException: expected the function to return a promise/)
})

test('the fault of a handler can be caught, and is the outcome where it is not', async () => {
  const clientHandler: Handler = async () => {
    throw Object.assign(new Error('connect refused'), { code: 'GW_X' })
  }
  assert.equal(
    await groovyValue(`try { ${send('/')}.get() } catch (IOException e) { e.message }`, { clientHandler }),
    'connect refused',
  )
  const script = scriptOf(`${send('/')}.get()`, { language: 'groovy', clientHandler })
  await assert.rejects(script.evaluate(), { message: 'connect refused', code: 'GW_X' })
})

test('an exception after a wait has its location', async () => {
  const failed = async (source: string) => String(await groovyValue(source))
  assert.match(await failed('def a = 1\nThread.sleep(1).foo()\n'), /test\.groovy:2:1: /)
  assert.match(await failed("Thread.sleep(1)\nthrow new RuntimeException('late')"), /test\.groovy:2:1: .*late/)
  assert.match(
    await failed("def m() {\n  Thread.sleep(1)\n  throw new RuntimeException('late')\n}\nm()"),
    /test\.groovy:3:3: /,
  )
  assert.match(await failed('[1].each {\n  Thread.sleep(1); 1 / 0 }'), /test\.groovy:2:\d+: .*Division by zero/)
  const wait = 'import org.forgerock.util.promise.Promises\n'
  const promise = "Promises.newExceptionPromise(new IOException('down'))"
  assert.match(
    await failed(`${wait}def p = Promises.newResultPromise(1).thenAsync { ${promise} }\np.get()`),
    /test\.groovy:3:1: .*down/,
  )
})

test('content that is not buffered is read on access', async () => {
  const clientHandler: Handler = async () =>
    new Response(200, {
      headers: { 'Content-Type': 'application/json' },
      body: Body.fromStream(Readable.from([Buffer.from('{"a":'), Buffer.from('[1, 2]}')])),
    })
  assert.deepEqual(await groovyValue(`${send('/')}.get().entity.json.a`, { clientHandler }), [1, 2])
})

test('Thread.sleep does not block the thread', async () => {
  const script = scriptOf('Thread.sleep(20); 1', { language: 'groovy' })
  let turns = 0
  setImmediate(() => turns++)
  assert.equal(await script.evaluate(), 1)
  assert.equal(turns, 1)
})

test('an endless loop is stopped at the limit, and the script can still be used', async () => {
  const script = scriptOf('if (globals.once == null) { globals.once = 1; while (true) { } }; 7', {
    language: 'groovy',
    timeout: 50,
  })
  await assert.rejects(script.evaluate(), {
    name: 'ScriptTimeoutError',
    message: 'test.groovy:1:47: stopped: it ran 50 ms, pauses not counted',
  })
  assert.equal(await script.evaluate(), 7)
})

test('an endless loop after a suspension is stopped too', async () => {
  const source = `try { ${send('/')}.get(); while (true) { } } catch (Throwable t) { } finally { globals.reached = 1 }`
  const script = scriptOf(source, { language: 'groovy', timeout: 50 })
  await assert.rejects(script.evaluate(), { name: 'ScriptTimeoutError' })
  await script.replace('globals.reached')
  assert.equal(await script.evaluate(), null)
})

test('an evaluation that does not end times out', async () => {
  const { handler } = delayedHandler()
  const script = scriptOf(`${send('/')}.get()`, { language: 'groovy', clientHandler: handler, deadline: 30 })
  await assert.rejects(script.evaluate(), {
    name: 'ScriptTimeoutError',
    message: 'test.groovy: timed out: it did not end within 30 ms',
  })
})

test('responses that a script does not return are cancelled', async () => {
  const stream = new Readable({ read: () => undefined })
  const clientHandler: Handler = async () => new Response(200, { body: Body.fromStream(stream) })
  await groovyValue(`${send('/')}.get().status.code`, { clientHandler })
  assert.equal(stream.destroyed, true)
})

test('callbacks of calls that the script does not wait for do not run after the outcome', async () => {
  const { handler, release } = delayedHandler()
  const source = `${send('/')}.thenOnResult { globals.late = 1 }; 1`
  const script = scriptOf(source, { language: 'groovy', clientHandler: handler })
  assert.equal(await script.evaluate(), 1)
  release()
  await new Promise((resolve) => setImmediate(resolve))
  await script.replace('globals.late')
  assert.equal(await script.evaluate(), null)
})
