import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, test } from 'node:test'
import { CHAIN_SECRET, chainPlan, eventText, fileEnv, filePlan, idsIn, namesIn } from '#test/audit-files'
import { Folder } from '#test/folder'
import { SmallDisk } from '#test/small-disk'
import type { ChainKey } from '../chain/chain-key.ts'
import { type ChainPlan, type FilePlan, NO_RETENTION, NO_ROTATION } from '../files/file-plan.ts'
import { TopicFile } from '../files/topic-file.ts'
import { type TrailReport, verifyTrail } from './verify-trail.ts'

const CSV: Partial<FilePlan> = {
  extension: '.csv',
  headers: { access: '"a","b","HMAC","SIGNATURE"' },
  lineEnd: '\r\n',
  chain: chainPlan({ csv: { quote: '"', delimiter: ',' }, lines: 3 }),
}
const JSON_LINES: Partial<FilePlan> = { chain: chainPlan({ lines: 3 }) }

/** Files of a trail of several files that was closed in order. */
async function makeTrail(directory: string, more: Partial<FilePlan>, events = 8, text = eventText): Promise<void> {
  const rotation = { ...NO_ROTATION, maxFileSize: 1_200 }
  const file = new TopicFile(filePlan(directory, { rotation, ...more }), 'access', fileEnv())
  await file.start()
  for (let n = 0; n < events; n++) await file.append([text(n)])
  await file.checkpoint()
  await file.close()
}

const filesIn = (directory: string): string[] => namesIn(directory).map((name) => join(directory, name))
const verify = (directory: string, keys: readonly ChainKey[] = [CHAIN_SECRET]): Promise<TrailReport> =>
  verifyTrail(filesIn(directory), keys)

async function intact(directory: string, keys?: readonly ChainKey[]): Promise<TrailReport> {
  const report = await verify(directory, keys)
  assert.equal(report.problem, null, JSON.stringify(report.problem))
  return report
}

const linesOf = (path: string): string[] => readFileSync(path, 'latin1').split(/(?<=\n)/)

for (const [title, plan, text] of [
  ['JSON lines', JSON_LINES, eventText],
  ['CSV', CSV, (n: string | number) => `"${n}","ä"`],
] as const) {
  describe(`tamper evidence of ${title}`, () => {
    test('an untouched trail of several files is intact, in any order of its files, plain and compressed', async () => {
      using folder = new Folder()
      for (const compress of [false, true]) {
        const directory = folder.in(String(compress))
        await makeTrail(directory, { ...plan, compress }, 20, text)
        const report = await intact(directory)
        assert.deepEqual(report.notes, [])
        assert.ok(filesIn(directory).length > 3)
        assert.equal((await verifyTrail(filesIn(directory).reverse(), [CHAIN_SECRET])).problem, null)
      }
    })

    test('a file whose first line is no line of a trail is named', async () => {
      using folder = new Folder()
      await makeTrail(folder.path, plan, 20, text)
      const path = filesIn(folder.path).filter((each) => !each.endsWith('.head'))[2]!
      writeFileSync(path, Buffer.concat([Buffer.from('\ufeff'), readFileSync(path)]))
      const { problem } = await verify(folder.path)
      assert.deepEqual([problem?.file, problem?.line], [path, 1])
    })

    test('another secret verifies nothing', async () => {
      using folder = new Folder()
      await makeTrail(folder.path, plan, 4, text)
      const { problem } = await verify(folder.path, [{ secret: Buffer.alloc(32) }])
      assert.notEqual(problem, null)
    })

    test('a change, removal or addition of any byte is found, at its line', async () => {
      using folder = new Folder()
      await makeTrail(folder.path, plan, 3, text)
      for (const path of filesIn(folder.path)) {
        const original = readFileSync(path)
        const isHead = path.endsWith('.head')
        for (let at = 0; at < original.length; at++) {
          const line = original.subarray(0, at).filter((byte) => byte === 0x0a).length + 1
          const changed = Buffer.from(original)
          changed[at] = (original[at] as number) ^ (1 << (at % 8))
          const removed = Buffer.concat([original.subarray(0, at), original.subarray(at + 1)])
          const added = Buffer.concat([
            original.subarray(0, at),
            Buffer.from([0x20 + (at % 90)]),
            original.subarray(at),
          ])
          const kinds = [
            ['changed', changed],
            ['removed', removed],
            ['added', added],
          ] as const
          // One kind for each position; VERIFY_BYTES=all tries all three.
          for (const [kind, bytes] of process.env['VERIFY_BYTES'] === 'all' ? kinds : [kinds[at % 3]!]) {
            writeFileSync(path, bytes)
            const { problem } = await verify(folder.path)
            assert.notEqual(problem, null, `${basename(path)} byte ${at} ${kind}`)
            if (isHead || line < 3 || original[at] === 0x0a) continue
            assert.deepEqual([problem!.file, problem!.line], [path, line], `${at} ${kind}: ${problem!.message}`)
          }
        }
        writeFileSync(path, original)
      }
      await intact(folder.path)
    })

    test('every removed, repeated, moved and added line is found', async () => {
      using folder = new Folder()
      await makeTrail(folder.path, plan, 8, text)
      for (const path of filesIn(folder.path).filter((name) => !name.endsWith('.head'))) {
        const original = readFileSync(path)
        const lines = linesOf(path)
        for (let at = 0; at < lines.length; at++) {
          const [line, next] = [lines[at] as string, lines[at + 1]]
          const variants = {
            removed: lines.toSpliced(at, 1),
            'removed with all after it': lines.slice(0, at),
            repeated: lines.toSpliced(at, 0, line),
            added: lines.toSpliced(at, 0, `${text('new')}\n`),
            'added and empty': lines.toSpliced(at, 0, '\n'),
            ...(next !== undefined && { moved: lines.toSpliced(at, 2, next, line) }),
          }
          for (const [kind, content] of Object.entries(variants)) {
            writeFileSync(path, content.join(''), 'latin1')
            const { problem } = await verify(folder.path)
            assert.notEqual(problem, null, `${basename(path)} line ${at + 1} ${kind}`)
            if (at > 1 && kind === 'removed' && next !== undefined) assert.equal(problem!.line, at + 1)
            if (at > 1 && kind.startsWith('added')) {
              assert.deepEqual([problem!.file, problem!.line], [path, at + 1])
            }
          }
        }
        writeFileSync(path, original)
      }
      await intact(folder.path)
    })

    test('files that were removed, swapped, renamed, copied or emptied are found', async () => {
      using folder = new Folder()
      await makeTrail(folder.in('trail'), { ...plan, compress: true }, 20, text)
      const trail = folder.in('trail')
      const names = namesIn(trail)
      for (const name of names) {
        const path = join(trail, name)
        const original = readFileSync(path)
        const other = join(trail, names.find((candidate) => candidate !== name && candidate.endsWith('.gz')) as string)
        const changes: Record<string, () => void> = {
          removed: () => rmSync(path),
          emptied: () => writeFileSync(path, ''),
          'cut in half': () => writeFileSync(path, original.subarray(0, original.length / 2)),
          copied: () => copyFileSync(path, `${path}.copy${name.endsWith('.gz') ? '.gz' : ''}`),
        }
        if (name.endsWith('.gz')) {
          changes['swapped'] = () => {
            renameSync(path, `${path}.x`)
            renameSync(other, path)
            renameSync(`${path}.x`, other)
          }
        }
        for (const [kind, change] of Object.entries(changes)) {
          if (kind === 'copied' && name.endsWith('.head')) continue
          mkdirSync(folder.in('kept'))
          for (const each of names) copyFileSync(join(trail, each), folder.in(`kept/${each}`))
          change()
          assert.notEqual((await verify(trail)).problem, null, `${name} ${kind}`)
          rmSync(trail, { recursive: true })
          renameSync(folder.in('kept'), trail)
        }
      }
      await intact(trail)
    })
  })
}

const UNCLEAN =
  'the gateway was not stopped in order before 2026-01-02T03:04:05.006Z: the last moments before may be missing'

describe('a tamper-evident trail', () => {
  const open = (directory: string, more: Partial<FilePlan> = {}, chain: Partial<ChainPlan> = {}, env = fileEnv()) =>
    new TopicFile(filePlan(directory, { chain: chainPlan(chain), ...more }), 'access', env)

  /** The files of a gateway that was killed after two events. */
  async function leftByKill(directory: string): Promise<(readonly [path: string, bytes: Buffer])[]> {
    const killed = open(directory)
    await killed.append([eventText(1)])
    await killed.append([eventText(2)])
    const files = filesIn(directory).map((path) => [path, readFileSync(path)] as const)
    await killed.close()
    return files
  }

  test('continues over restarts; a stop in order leaves no note', async () => {
    using folder = new Folder()
    for (let n = 0; n < 3; n++) {
      const file = open(folder.path)
      await file.start()
      await file.append([eventText(n)])
      await file.close()
    }
    const report = await intact(folder.path)
    assert.deepEqual([report.notes, report.range], [[], { first: 1, last: 9, signed: 9 }])
    assert.deepEqual(idsIn(folder.path), ['0', '1', '2'])
  })

  test('a line truncated by a crash is recorded by a signed line at the next start, without any event', async () => {
    for (const cut of [1, 20, 60, 80]) {
      using folder = new Folder()
      const files = await leftByKill(folder.path)
      for (const [path, bytes] of files) {
        writeFileSync(path, path.endsWith('.head') ? bytes : bytes.subarray(0, bytes.length - cut))
      }
      const next = open(folder.path)
      await next.start()
      await next.close()
      const { notes } = await intact(folder.path)
      assert.deepEqual(
        notes.map(({ line, message }) => [line, message]),
        [cut === 1 ? [4, UNCLEAN] : [3, 'this line was truncated by a crash; it is no event']],
      )
    }
  })

  test('a kill between two lines leaves a note, and a file that ends without a checkpoint until the next start', async () => {
    using folder = new Folder()
    const files = await leftByKill(folder.path)
    for (const [path, bytes] of files) writeFileSync(path, bytes)
    assert.match((await verify(folder.path)).problem?.message ?? '', /ends without a checkpoint/)
    const next = open(folder.path)
    await next.start()
    await next.close()
    assert.equal((await intact(folder.path)).notes[0]?.message, UNCLEAN)
  })

  test('lines that were removed at the end while no gateway ran are reported at the start and found later', async () => {
    using folder = new Folder()
    const first = open(folder.path)
    await first.append([eventText(1), eventText(2), eventText(3)])
    await first.close()
    const path = folder.in('access.audit.json')
    writeFileSync(path, linesOf(path).slice(0, 2).join(''))
    const env = fileEnv()
    const second = open(folder.path, {}, {}, env)
    await second.start()
    await second.append([eventText(4)])
    await second.close()
    assert.deepEqual(
      env.log.entries.map(({ code }) => code),
      ['GW_AUDIT_FILE_CHAIN_TRUNCATED'],
    )
    const { problem } = await verify(folder.path)
    assert.deepEqual([problem?.line, problem?.message], [3, 'lines 3 to 5 of the chain are missing before this line'])
  })

  test('a file that was renamed by log rotation is verified with the one that follows it', async () => {
    using folder = new Folder()
    const file = open(folder.path)
    await file.append([eventText(1)])
    renameSync(folder.in('access.audit.json'), folder.in('access.audit.json.1'))
    await file.append([eventText(2)])
    await file.close()
    await intact(folder.path)
    rmSync(folder.in('access.audit.json.1'))
    assert.match((await verify(folder.path)).problem?.message ?? '', /lines 1 to 3 of the chain are missing/)
  })

  test('files that retention removed are not missing; others are', async () => {
    using folder = new Folder()
    const rotation = { ...NO_ROTATION, maxFileSize: 600 }
    const file = open(folder.path, { rotation, retention: { ...NO_RETENTION, maxFiles: 2 } })
    for (let n = 0; n < 12; n++) await file.append([eventText(n)])
    await file.close()
    await intact(folder.path)
    rmSync(filesIn(folder.path).find((path) => /-2026/.test(path)) as string)
    assert.match((await verify(folder.path)).problem?.message ?? '', /are missing before this line/)
  })

  test('a rotated file is verified alone, the active one only with its head', async () => {
    using folder = new Folder()
    await makeTrail(folder.path, JSON_LINES, 20)
    const [active, head] = [folder.in('access.audit.json'), folder.in('access.audit.json.head')]
    const rotated = filesIn(folder.path).filter((path) => path !== active && path !== head)
    for (const path of rotated) assert.equal((await verifyTrail([path], [CHAIN_SECRET])).problem, null)
    assert.equal((await verifyTrail([active], [CHAIN_SECRET])).problem, null)
    rmSync(head)
    assert.match((await verifyTrail([active], [CHAIN_SECRET])).problem?.message ?? '', /head of the trail .* removed/)
  })

  test('a file without a chain is rotated before the first chained line', async () => {
    using folder = new Folder({ 'access.audit.json': `${eventText(0)}\n` })
    const file = open(folder.path)
    await file.start()
    await file.append([eventText(1)])
    await file.close()
    const chained = filesIn(folder.path).filter((path) => !/-2026/.test(path))
    assert.equal((await verifyTrail(chained, [CHAIN_SECRET])).problem, null)
    assert.equal(folder.read('access.audit.json-2026.01.02-03.04.05'), `${eventText(0)}\n`)
    const plain = new TopicFile(filePlan(folder.path), 'access', fileEnv())
    await plain.append([eventText(2)])
    await plain.close()
    assert.equal(folder.read('access.audit.json'), `${eventText(2)}\n`)
  })

  test('a disk that was full leaves an intact trail with every event once', { skip: SmallDisk.isMissing }, async () => {
    using disk = new SmallDisk()
    const directory = disk.folder('audit')
    const file = open(directory, {}, { lines: 2 })
    await file.append([eventText(1)])
    disk.fill()
    const texts = Array.from({ length: 30 }, (_, n) => eventText(n + 2, 'x'.repeat(5_000)))
    for (let attempt = 0; attempt < 3; attempt++) await assert.rejects(file.append(texts), { code: 'ENOSPC' })
    disk.free()
    await file.append(texts)
    await file.close()
    await intact(directory)
    assert.equal(idsIn(directory).length, 31)
    assert.equal(new Set(idsIn(directory)).size, 31)
  })

  test('the secret can be replaced between two starts', async () => {
    using folder = new Folder()
    const later = { secret: Buffer.alloc(32, 7) }
    for (const key of [CHAIN_SECRET, later]) {
      const file = open(folder.path, {}, { key })
      await file.append([eventText(1)])
      await file.close()
    }
    await intact(folder.path, [later, CHAIN_SECRET])
    assert.notEqual((await verify(folder.path, [later])).problem, null)
  })

  for (const [type, pair] of [
    ['ed25519', generateKeyPairSync('ed25519')],
    ['EC', generateKeyPairSync('ec', { namedCurve: 'P-256' })],
    ['RSA', generateKeyPairSync('rsa', { modulusLength: 2048 })],
  ] as const) {
    test(`a ${type} key signs, and the public key verifies`, async () => {
      using folder = new Folder()
      const pem = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
      const publicPem = pair.publicKey.export({ type: 'spki', format: 'pem' }) as string
      await makeTrail(folder.path, { chain: chainPlan({ key: { pem }, lines: 3 }) })
      await intact(folder.path, [{ pem: publicPem }])
      const path = folder.in('access.audit.json')
      const original = readFileSync(path, 'utf8')
      writeFileSync(path, original.replace(/"more":""/, '"more":"x"'))
      assert.notEqual((await verify(folder.path, [{ pem: publicPem }])).problem, null)
    })
  }
})
