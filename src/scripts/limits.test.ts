import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Body, type Exchange, respond } from '#http'
import { resultOf, scriptOf } from '#test/evaluate-script'
import { exchangeFor } from '#test/exchange'
import { within } from '#test/waiting'

const STOPPED = { name: 'ScriptTimeoutError', message: 'test.js: stopped: it ran 50 ms without a pause' }
const call = "await http.send(new Request({ uri: 'http://x.example.com/' }))"

const endless: Readonly<Record<string, string>> = {
  'at once': 'for (;;);',
  'after an await': 'await 1; for (;;);',
  'after an await of a gateway call': `${call}; for (;;);`,
  'in a promise that is not awaited': 'Promise.resolve().then(() => { for (;;); }); return new Promise(() => {})',
  'in an endless promise chain': 'const again = () => Promise.resolve().then(again); await again()',
  'while it logs': 'for (;;) logger.info("x")',
  'while it changes headers': 'for (;;) request.headers.set("X-A", "b")',
  'in a getter of its result': 'return { get a() { for (;;); } }',
  'in a thenable': 'return { then() { for (;;); } }',
  'in toJSON of its result': 'return { toJSON() { for (;;); } }',
  'in the message of a thrown object': 'throw { get message() { for (;;); } }',
  'in the stack of a thrown error': 'throw Object.defineProperty(new Error("x"), "stack", { get() { for (;;); } })',
  'in the text of a logged object': 'logger.info({ toString() { for (;;); } })',
  'in the text of a header': 'request.headers.set({ toString() { for (;;); } }, "x")',
  'in a proxy it returns': 'return new Proxy({}, { getPrototypeOf() { for (;;); }, ownKeys() { for (;;); } })',
  'in an object stored in attributes': 'attributes.x = { toJSON() { for (;;); } }',
  'in a regular expression': `/^(a+)+$/.test("${'a'.repeat(40)}!"); for (;;);`,
}

for (const [where, source] of Object.entries(endless)) {
  test(`a script that does not end ${where} is stopped`, async () => {
    await assert.rejects(resultOf(source, { timeout: 50 }), STOPPED)
  })
}

test('a stopped script can run again, and others are not affected', async () => {
  const script = scriptOf(
    'if (globals.once === undefined) { globals.once = 1; await 1; for (;;); } return globals.once',
    {
      timeout: 400,
    },
  )
  const other = scriptOf('await 1; return 2', { timeout: 400 })
  const [stopped, ...rest] = await Promise.allSettled([
    script.evaluate(),
    other.evaluate(),
    script.evaluate(),
    other.evaluate(),
  ])
  assert.equal(stopped?.status, 'rejected')
  assert.deepEqual(
    rest.map((each) => each.status === 'fulfilled' && each.value),
    [2, 1, 2],
  )
})

test('endless promise chains that were stopped do not continue in the next evaluation', async () => {
  const script = scriptOf('const again = () => Promise.resolve().then(again); await again()', { timeout: 400 })
  await assert.rejects(script.evaluate(), { name: 'ScriptTimeoutError' })
  await script.replace('return 1')
  assert.equal(await script.evaluate(), 1)
})

test('many long-running scripts each get their full limit', async () => {
  const busy = scriptOf('const end = Date.now() + 20; while (Date.now() < end); return 1', { timeout: 1_000 })
  const values = await Promise.all(Array.from({ length: 20 }, () => busy.evaluate()))
  assert.equal(values.length, 20)
})

test('the guard yields to the event loop between long-running scripts', async () => {
  let turns = 0
  let counting = true
  const count = () => {
    turns += 1
    if (counting) setImmediate(count)
  }
  count()
  const looping = scriptOf('for (;;);', { timeout: 50 })
  await Promise.allSettled(Array.from({ length: 6 }, () => looping.evaluate()))
  counting = false
  assert.ok(turns >= 6, `${turns} turns`)
})

test('an evaluation that does not settle times out', async () => {
  const message = 'test.js: timed out: it did not end within 50 ms'
  const given = { name: 'ScriptTimeoutError', message }
  await assert.rejects(resultOf('await new Promise(() => {})', { deadline: 50 }), given)
  const silent = { clientHandler: () => new Promise<never>(() => {}), deadline: 50 }
  await assert.rejects(resultOf(call, silent), given)
})

test('a response that arrives after the timeout of its evaluation is cancelled', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const late = Promise.withResolvers<ReturnType<typeof respond>>()
  const script = scriptOf(`${call}; globals.went = 'on'`, { clientHandler: () => late.promise, deadline: 20 })
  await assert.rejects(script.evaluate(), { name: 'ScriptTimeoutError' })
  const response = respond(200)
  response.body = Body.fromSource({ start: () => undefined, resume: () => undefined, cancel: () => resolve() })
  late.resolve(response)
  await within('the late response was cancelled', promise)
  await script.replace('return globals.went ?? null')
  assert.equal(await script.evaluate(), null)
})

test('a body is read within the bounds of the temporary storage', async () => {
  const exchange = exchangeFor('POST', 'http://a.example.com/', { body: Body.fromSource(flood()) })
  await assert.rejects(resultOf('return (await request.entity.string()).length', { exchange }), {
    name: 'BodyTooLargeError',
  })
})

/** An endless stream of chunks. */
function flood() {
  const piece = new Uint8Array(65_536)
  let push = () => {}
  let stopped = false
  return {
    start(sink: { write(chunk: Uint8Array): boolean }) {
      push = () => {
        while (!stopped && sink.write(piece));
      }
      push()
    },
    resume: () => push(),
    cancel: () => {
      stopped = true
    },
  }
}

/** Heap in use after a full garbage collection, without the cache of compiled scripts. */
const heapUsed = (): number => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (options: object) => void
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  return process.memoryUsage().heapUsed
}

test('10,000 evaluations leak no memory', async () => {
  const next = async (exchange: Exchange) => respond(200, { 'X-Method': exchange.request.method }, 'text')
  const script = scriptOf(
    'const r = await next.handle(context, request); r.headers.add("X-A", await r.entity.string()); attributes.x = [1]; return r',
    { next },
  )
  const some = async (count: number) => {
    for (let at = 0; at < count; at += 50) {
      await Promise.all(Array.from({ length: 50 }, () => script.evaluate('response')))
    }
  }
  await some(1_000)
  const before = heapUsed()
  await some(10_000)
  const kept = (heapUsed() - before) / 10_000
  assert.ok(kept < 100, `${kept} bytes are left of each evaluation`)
})

test('1,000 changes of a script leak no memory', async () => {
  const script = scriptOf('return 0')
  const change = async (at: number) => {
    await script.replace(`const big = "${'x'.repeat(2_000)}"; return ${at}`)
    assert.equal(await script.evaluate(), at)
  }
  for (let at = 0; at < 100; at += 1) await change(at)
  const before = heapUsed()
  for (let at = 0; at < 1_000; at += 1) await change(at)
  const kept = (heapUsed() - before) / 1_000
  assert.ok(kept < 1_000, `${kept} bytes are left of each script`)
})

test('disposed objects with scripts leak no memory', async () => {
  const some = async (count: number) => {
    for (let at = 0; at < count; at += 1) await scriptOf('globals.x = [1]; return 1').evaluate()
  }
  await some(20)
  const before = heapUsed()
  await some(100)
  const kept = (heapUsed() - before) / 100
  // A realm has more than 150 KB.
  assert.ok(kept < 20_000, `${kept} bytes are left of each object`)
})
