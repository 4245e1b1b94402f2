// A key-value store is handed over while units of both processes use it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { Folder } from '#test/folder'
import { HandingOver, unitOf } from '#test/handing-over'
import { handoverPath } from './handover-socket.ts'
import { Predecessor } from './predecessor.ts'

const RECORDS = 20_000

type Unit = ReturnType<typeof unitOf>

test('20,000 records are handed over under reads, writes, deletes and claims', { timeout: 60_000 }, async (t) => {
  using folder = new Folder()
  using old = await HandingOver.listen(handoverPath(folder.path))
  const units: Unit[] = [unitOf(old.store), unitOf(old.store)]
  for (let number = 0; number < RECORDS; number++) await (units[0] as Unit).set(`s${number}`, { count: 0, number })
  const next = (await Predecessor.find(handoverPath(folder.path), '1')) as Predecessor

  const problems: string[] = []
  const expect = (isRight: boolean, what: string) => isRight || problems.push(what)
  const counts = { reads: 0, writes: 0, deletes: 0, claims: 0, keys: 0 }
  const winners = new Map<string, number>()
  const keys = new Map<string, unknown>()
  let isOver = false
  let draws = 1
  const random = (limit: number): number => {
    draws = (draws * 48_271) % 2_147_483_647
    return draws % limit
  }
  const anyUnit = (): Unit => units[random(units.length)] as Unit

  /** One of eight clients, with its own records, whose requests reach any unit. */
  const client = async (first: number): Promise<void> => {
    const count = new Map<number, number | null>()
    const own = () => first + 8 * random(RECORDS / 8)
    const check = async (number: number): Promise<void> => {
      const found = (await anyUnit().get(`s${number}`)) as { count: number; number: number } | null
      const wanted = count.get(number) === undefined ? 0 : count.get(number)
      expect((found?.count ?? null) === wanted && (found?.number ?? number) === number, `s${number} is ${found?.count}`)
      counts.reads++
    }
    while (!isOver) {
      const number = own()
      await check(number)
      const before = count.get(number)
      const changed = own()
      if (count.get(changed) !== null) {
        const after = (count.get(changed) ?? 0) + 1
        await anyUnit().change(`s${changed}`, { count: after })
        count.set(changed, after)
        counts.writes++
        await check(changed)
      }
      if (random(4) === 0 && before !== null) {
        const deleted = await anyUnit().claim(`s${number}`)
        expect(deleted !== null, `s${number} was missing`)
        count.set(number, null)
        counts.deletes++
        await check(number)
      }
      await turn()
    }
    for (const number of count.keys()) await check(number)
  }
  /** Clients that meet: ids that may be used once, keys that all units must have in common, and revocations. */
  const contender = async (): Promise<void> => {
    while (!isOver) {
      const id = `once-${counts.claims++}`
      await anyUnit().set(id, { id })
      const claims = await Promise.all([anyUnit(), anyUnit(), anyUnit()].map((unit) => unit.claim(id)))
      const won = claims.filter((claim) => claim !== null).length
      expect(won === 1, `${id} was claimed ${won} times`)
      winners.set(id, won)
      const key = `key-${counts.keys++ % 500}`
      const values = await Promise.all(
        [1, 2, 3].map((value) => anyUnit().first(key, { value, by: counts.keys }, Infinity)),
      )
      for (const value of values) {
        const [text, known] = [JSON.stringify(value), keys.get(key)]
        expect(known === undefined || known === text, `${key} is ${text}, and was ${known}`)
        keys.set(key, text)
      }
      await anyUnit().revoke(id)
      expect(await anyUnit().isRevoked(id), `${id} is not revoked`)
      await turn()
    }
    for (const id of winners.keys()) {
      expect((await anyUnit().get(id)) === null, `${id} is back`)
      expect(await anyUnit().isRevoked(id), `${id} is not revoked at the end`)
    }
  }
  const clients = [...Array.from({ length: 8 }, (_, first) => client(first)), contender(), contender()]
  const some = async (turns: number) => {
    for (let passed = 0; passed < turns; passed++) await turn()
  }
  await some(50)
  await next.copy(() => false)
  const whileCopied = { ...counts }
  units.push(unitOf(next.store), unitOf(next.store))
  await some(200)
  await next.switch()
  const beforeSwitch = { ...counts }
  await some(200)
  // The other has drained.
  units.splice(0, 2)
  await some(50)
  next.close()
  await some(50)
  isOver = true
  await Promise.all(clients)
  t.diagnostic(JSON.stringify({ whileCopied, beforeSwitch, counts }))
  assert.deepEqual(problems.slice(0, 10), [])
  assert.ok(whileCopied.writes > 100 && counts.claims > beforeSwitch.claims)
})
