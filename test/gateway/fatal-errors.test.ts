// Uncaught errors of the control thread (ADR 22); those of units are in crash.test.ts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GatewayProcess } from '#test/gateway-process'
import { httpUpstream } from '#test/upstream'
import { within } from '#test/waiting'

/** A module for `extra/` that throws in the control thread on SIGUSR2. */
const failing = (fault: string) => `
import { isMainThread } from 'node:worker_threads'
if (isMainThread) process.on('SIGUSR2', () => { ${fault} })
export const types = () => []
`

for (const [what, fault] of [
  ['an exception', "throw Object.assign(new Error('broken'), { code: 'E_BROKEN' })"],
  ['a rejected promise', "void Promise.reject(Object.assign(new Error('broken'), { code: 'E_BROKEN' }))"],
] as const) {
  test(`${what} of the control thread is logged once; requests in flight are answered, then the exit is 1`, async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    const { promise: arrived, resolve: arrives } = Promise.withResolvers<void>()
    await using upstream = await httpUpstream(async (_request, response) => {
      arrives()
      await held
      response.end('whole')
    })
    await using gateway = await GatewayProcess.start({
      routes: { all: { baseURI: upstream.url, handler: 'ReverseProxyHandler' } },
      extra: { 'failing.js': failing(fault) },
    })
    const answer = gateway.ask('/')
    await within('the request reached the server', arrived)
    gateway.kill('SIGUSR2')
    const entry = await gateway.log.until(/uncaught error in the control thread/)
    assert.equal((entry['error'] as { code: string }).code, 'E_BROKEN')
    release()
    assert.equal((await answer).text, 'whole')
    assert.deepEqual(await gateway.exit, { code: 1, signal: null })
    assert.equal(gateway.log.with(/E_BROKEN/).length, 1)
    assert.equal(gateway.errors, '')
  })
}

test('a second error while it drains ends the process at once', async () => {
  const { promise: arrived, resolve: arrives } = Promise.withResolvers<void>()
  await using upstream = await httpUpstream(() => arrives())
  await using gateway = await GatewayProcess.start({
    routes: { all: { baseURI: upstream.url, handler: 'ReverseProxyHandler' } },
    extra: { 'failing.js': failing("throw new Error('broken')") },
  })
  const answer = gateway.ask('/').then(
    () => 'answered',
    () => 'reset',
  )
  await within('the request reached the server', arrived)
  gateway.kill('SIGUSR2')
  await gateway.log.until(/uncaught error in the control thread/)
  gateway.kill('SIGUSR2')
  assert.deepEqual(await gateway.exit, { code: 1, signal: null })
  assert.equal(await answer, 'reset')
})
