// Changes that the management API has acknowledged are durable, also after kill -9 and with concurrent writers.
// GATEWAY_KILL_ROUNDS asks for that many rounds of 500 writes, GATEWAY_WRITERS for that many writers at once.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import type { JsonObject } from '#json'
import { pathRoute } from '#test/gateway'
import { GatewayProcess } from '#test/gateway-process'
import { TestInstance } from '#test/instance'
import { type Managed, managing, ROUTES } from '#test/management'

const { GATEWAY_KILL_ROUNDS, GATEWAY_WRITERS } = process.env
const ROUNDS = Number(GATEWAY_KILL_ROUNDS ?? 1)
const WRITES = GATEWAY_KILL_ROUNDS === undefined ? 100 : 500
const WRITERS = Number(GATEWAY_WRITERS ?? 40)
const CONCURRENT_WRITES = 5
/** One of so many writes of a route is a delete. */
const DELETE_EACH = 7

const env = { GATEWAY_RUN_MODE: 'DEVELOPMENT' }

/** The number of the write that a route comes from; null where it was deleted, or never created. */
type Version = number | null

function versionIn(route: JsonObject): Version {
  const { config } = route['handler'] as { config: { entity: string } }
  return Number.parseInt(config.entity, 10)
}

/** Writes to routes, one after the other to each, and their outcomes. */
class Writers {
  readonly #manage: ReturnType<typeof managing>
  /** The possible versions of each route: the acknowledged one, or the pending one. */
  readonly allowed = new Map<string, readonly Version[]>()
  acknowledged = 0
  #sent = 0

  constructor(manage: ReturnType<typeof managing>) {
    this.#manage = manage
  }

  /** Runs until all is written or the process has ended. */
  async run(found: ReadonlyMap<string, Version>, onAcknowledged: (count: number) => void): Promise<void> {
    const writer = async (id: string): Promise<void> => {
      let before = found.get(id) ?? null
      for (let turn = (before ?? 0) + 1; this.#sent++ < WRITES; turn++) {
        const next: Version = before !== null && turn % DELETE_EACH === 0 ? null : turn
        this.allowed.set(id, [before, next])
        const { status, text } = await this.#write(id, next)
        assert.ok(status === 200 || status === 201, `${status} ${text}`)
        this.allowed.set(id, [next])
        before = next
        onAcknowledged(++this.acknowledged)
      }
    }
    const ends = await Promise.allSettled(Array.from({ length: CONCURRENT_WRITES }, (_, n) => writer(`w${n}`)))
    for (const end of ends)
      if (end.status === 'rejected' && end.reason instanceof assert.AssertionError) throw end.reason
  }

  #write(id: string, version: Version): Promise<Managed> {
    const path = `${ROUTES}/${id}`
    if (version === null) return this.#manage('DELETE', path)
    return this.#manage('PUT', path, { body: pathRoute(`/${id}`, `${version} ${'x'.repeat(5_000)}`) })
  }
}

/** The versions in the files of a folder; each must be a complete route, except temporary files. */
function versionsIn(folder: string): Map<string, Version> {
  const found = new Map<string, Version>()
  for (const name of readdirSync(folder)) {
    if (name.endsWith('.tmp')) continue
    const route = JSON.parse(readFileSync(join(folder, name), 'utf8')) as JsonObject
    assert.equal(name, `${route['_id']}.json`)
    found.set(route['_id'] as string, versionIn(route))
  }
  return found
}

/** Writes until the process is killed; returns acknowledged and pending versions by route. */
async function writeAndKill(gateway: GatewayProcess, found: ReadonlyMap<string, Version>): Promise<Writers> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENT_WRITES })
  const writers = new Writers(managing(`http://127.0.0.1:${gateway.adminPort}`, { agent }))
  const killAfter = 1 + Math.floor(Math.random() * (WRITES - CONCURRENT_WRITES))
  await writers.run(found, (count) => {
    // Not at the end of a write but at any point of the next one.
    if (count === killAfter) setTimeout(() => gateway.kill('SIGKILL'), Math.random() * 10)
  })
  agent.destroy()
  assert.equal((await gateway.exit).signal, 'SIGKILL')
  return writers
}

test(`F18: after kill -9 at a random moment of ${WRITES} writes, ${ROUNDS} times, acknowledged changes are present and no file is truncated`, async (t) => {
  using instance = new TestInstance({})
  const folder = join(instance.directory, 'config/routes')
  let gateway = await GatewayProcess.start({ env, instance })
  let found = new Map<string, Version>()
  try {
    for (let round = 1; round <= ROUNDS; round++) {
      const writers = await writeAndKill(gateway, found)
      const unfinished = readdirSync(folder).filter((name) => name.endsWith('.tmp')).length
      found = versionsIn(folder)
      for (const [id, versions] of writers.allowed) {
        const version = found.get(id) ?? null
        assert.ok(versions.includes(version), `${id} is ${version}, not one of ${versions}`)
      }
      t.diagnostic(`round ${round}: killed after ${writers.acknowledged} writes, ${unfinished} of them unfinished`)

      writeFileSync(join(folder, '.w0.json.0123456789abcdef.tmp'), '{')
      gateway = await GatewayProcess.start({ env, instance })
      assert.deepEqual(
        readdirSync(folder).sort(),
        [...found.keys()].map((id) => `${id}.json`).sort(),
        'only unfinished files are removed',
      )
      for (const id of writers.allowed.keys()) {
        const { status, text } = await gateway.ask(`/${id}`)
        assert.equal(status === 404 ? null : Number.parseInt(text, 10), found.get(id) ?? null, `${id} is served`)
      }
      const failed = await gateway.askAdmin(`${ROUTES}?_queryFilter=_status/state+eq+%22failed%22&_countOnly=true`)
      assert.equal((JSON.parse(failed.text) as JsonObject)['resultCount'], 0)
    }
  } finally {
    await gateway[Symbol.asyncDispose]()
  }
})

test('B78: of 200 writers of one revision exactly one wins, and of 50 creators', async () => {
  await using gateway = await GatewayProcess.start({ env, units: 2 })
  const agent = new Agent({ keepAlive: true, maxSockets: 50 })
  const manage = managing(`http://127.0.0.1:${gateway.adminPort}`, { agent })
  const race = async (count: number, headers: Record<string, string>) => {
    const racing = Array.from({ length: count }, (_, n) =>
      manage('PUT', `${ROUTES}/race`, { headers, body: pathRoute('/race', `writer ${n} of ${count}`) }),
    )
    const answers = await Promise.all(racing)
    const winners = [...answers.keys()].filter((n) => (answers[n] as Managed).status < 300)
    assert.equal(winners.length, 1)
    assert.equal(answers.filter(({ status }) => status === 412).length, count - 1)
    assert.equal((await gateway.ask('/race')).text, `writer ${winners[0]} of ${count}`)
    return answers[winners[0] as number] as Managed
  }
  try {
    const created = await race(50, { 'If-None-Match': '*' })
    assert.equal(created.status, 201)
    const updated = await race(200, { 'If-Match': String(created.headers.etag) })
    assert.equal(updated.status, 200)
  } finally {
    agent.destroy()
  }
})

test(`B78: no update of ${WRITERS} concurrent writers with If-Match is lost`, async (t) => {
  await using gateway = await GatewayProcess.start({ env, units: 2 })
  const agent = new Agent({ keepAlive: true, maxSockets: WRITERS })
  const manage = managing(`http://127.0.0.1:${gateway.adminPort}`, { agent })
  const route = (done: readonly number[]) => pathRoute('/counted', 'x', { properties: { done } })
  let [left, refused] = [WRITERS, 0]
  const write = async (n: number): Promise<void> => {
    for (;;) {
      const { json, headers } = await manage('GET', `${ROUTES}/counted`)
      const { done } = json['properties'] as { done: number[] }
      const put = { headers: { 'If-Match': String(headers.etag) }, body: route([...done, n]) }
      const { status, text } = await manage('PUT', `${ROUTES}/counted`, put)
      if (status === 200) break
      assert.equal(status, 412, text)
      refused++
      // As a client with concurrent writers does.
      await new Promise((resolve) => setTimeout(resolve, Math.random() * left * 5))
    }
    left--
  }
  try {
    assert.equal((await manage('PUT', `${ROUTES}/counted`, { body: route([]) })).status, 201)
    await Promise.all(Array.from({ length: WRITERS }, (_, n) => write(n)))
    const { json } = await manage('GET', `${ROUTES}/counted`)
    const { done } = json['properties'] as { done: number[] }
    assert.deepEqual(
      done.toSorted((a, b) => a - b),
      Array.from({ length: WRITERS }, (_, n) => n),
    )
    t.diagnostic(`${refused} attempts came too late and were repeated`)
  } finally {
    agent.destroy()
  }
})
