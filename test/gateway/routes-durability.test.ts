// What the management API has acknowledged is there, whatever happens to the process: kill -9 at a random moment.
// GATEWAY_KILL_ROUNDS sets how often.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Answer, type Asking, ask } from '#test/ask'
import { pathRoute, RunningGateway } from '#test/gateway'
import { GatewayProcess } from '#test/gateway-process'

const ROUTES = '/api/system/objects/_router/routes'
const ROUNDS = Number(process.env['GATEWAY_KILL_ROUNDS'] ?? 1)
const WRITERS = 5
const env = { GATEWAY_RUN_MODE: 'DEVELOPMENT' }

function put(gateway: GatewayProcess, id: string, route: object, more: Asking = {}): Promise<Answer> {
  const body = JSON.stringify(route)
  return ask(`http://127.0.0.1:${gateway.adminPort}${ROUTES}/${id}`, {
    ...more,
    method: 'PUT',
    headers: { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(body)), ...more.headers },
    body,
  })
}

for (let round = 1; round <= ROUNDS; round++) {
  test(`F18: after kill -9 during writes, round ${round}, every acknowledged write is there and no file is broken`, async () => {
    await using gateway = await GatewayProcess.start({ env, units: 2 })
    const killAfter = 5 + Math.floor(Math.random() * 100)
    const acknowledged = new Map<string, number>()
    const sent = new Map<string, number>()
    let acknowledgements = 0
    const write = async (id: string): Promise<void> => {
      for (let version = 1; ; version++) {
        sent.set(id, version)
        const { status } = await put(gateway, id, pathRoute(`/${id}`, `${version} ${'x'.repeat(5_000)}`))
        assert.ok(status === 200 || status === 201, String(status))
        acknowledged.set(id, version)
        if (++acknowledgements === killAfter) gateway.kill('SIGKILL')
      }
    }
    const writers = Array.from({ length: WRITERS }, (_, n) => write(`w${n}`))
    // Each ends when its connection does.
    const ends = await Promise.allSettled(writers)
    for (const end of ends)
      if (end.status === 'rejected') assert.ok(!(end.reason instanceof assert.AssertionError), String(end.reason))
    await gateway.exit

    const folder = join(gateway.instance.directory, 'config/routes')
    const found = readdirSync(folder)
    for (const name of found.filter((file) => file.endsWith('.json'))) {
      const { _id: id, handler } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as {
        _id: string
        handler: { config: { entity: string } }
      }
      const version = Number.parseInt(handler.config.entity, 10)
      assert.ok(
        version >= (acknowledged.get(id) ?? 0) && version <= (sent.get(id) ?? 0),
        `${id} has version ${version}`,
      )
    }
    for (const id of acknowledged.keys()) assert.ok(found.includes(`${id}.json`), `${id} is gone`)

    const files = Object.fromEntries(
      found.map((name) => [`config/routes/${name}`, readFileSync(join(folder, name), 'utf8')]),
    )
    await using again = await RunningGateway.start({
      files: { ...files, 'config/routes/.w0.json.0123456789abcdef.tmp': '{' },
    })
    const left = readdirSync(join(again.instance.directory, 'config/routes'))
    assert.deepEqual(
      left.filter((name) => !name.endsWith('.json')),
      [],
    )
    for (const id of acknowledged.keys()) assert.equal((await again.ask(`/${id}`)).status, 200)
  })
}

test('B78: of 1,000 writers of one revision exactly one wins', async () => {
  await using gateway = await GatewayProcess.start({ env, units: 2 })
  const agent = new Agent({ keepAlive: true, maxSockets: 50 })
  try {
    const first = await put(gateway, 'race', pathRoute('/race', 'first'))
    assert.equal(first.status, 201)
    const headers = { 'If-Match': first.headers.etag as string }
    const racing = Array.from({ length: 1_000 }, (_, n) =>
      put(gateway, 'race', pathRoute('/race', `writer ${n}`), { headers, agent }),
    )
    const answers = await Promise.all(racing)
    const winners = [...answers.keys()].filter((n) => answers[n]?.status === 200)
    assert.equal(winners.length, 1)
    assert.equal(answers.filter(({ status }) => status === 412).length, 999)
    assert.equal((await gateway.ask('/race')).text, `writer ${winners[0]}`)
  } finally {
    agent.destroy()
  }
})
