// What a gateway finds when it opens a tamper-evident trail: changes stay findings, and honest ends of a process are none.
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { describe, test } from 'node:test'
import { CHAIN_SECRET, chainPlan, eventText, fileEnv, filePlan, namesIn } from '#test/audit-files'
import { Folder } from '#test/folder'
import { SmallDisk } from '#test/small-disk'
import { type FilePlan, NO_RETENTION, NO_ROTATION } from '../files/file-plan.ts'
import { TopicFile } from '../files/topic-file.ts'
import { verifyTrail } from '../verify/verify-trail.ts'
import { type ChainKey, chainSigner } from './chain-key.ts'
import { JSON_CHAIN } from './chain-line.ts'

const CHAIN = chainPlan({ lines: 3 })
const CSV: Partial<FilePlan> = {
  extension: '.csv',
  headers: { access: '"a","b","HMAC","SIGNATURE"' },
  lineEnd: '\r\n',
  chain: chainPlan({ csv: { quote: '"', delimiter: ',' }, lines: 3 }),
}
const ROTATING: Partial<FilePlan> = { rotation: { ...NO_ROTATION, maxFileSize: 1_200 } }
const FORGED = '{"_id":"forged","more":"x"}'

const open = (directory: string, more: Partial<FilePlan> = {}, env = fileEnv()) =>
  new TopicFile(filePlan(directory, { chain: CHAIN, ...more }), 'access', env)

/** A process that writes events and ends in order. Returns the codes of its log. */
async function run(directory: string, ids: readonly string[], more: Partial<FilePlan> = {}): Promise<unknown[]> {
  const env = fileEnv()
  const file = open(directory, more, env)
  await file.start()
  for (const id of ids) await file.append([more.headers === undefined ? eventText(id) : `"${id}","ä"`])
  await file.close()
  return env.log.entries.map(({ code }) => String(code).replace('GW_AUDIT_FILE_', ''))
}

async function verify(directory: string, keys: readonly ChainKey[] = [CHAIN_SECRET]) {
  const files = namesIn(directory).filter((name) => !name.endsWith('.tmp'))
  return verifyTrail(
    files.map((name) => join(directory, name)),
    keys,
  )
}

async function assertIntact(directory: string, notes: readonly RegExp[] = []): Promise<void> {
  const report = await verify(directory)
  assert.equal(report.problem, null, JSON.stringify(report.problem))
  assert.equal(report.notes.length, notes.length, JSON.stringify(report.notes))
  for (const [at, form] of notes.entries()) assert.match(report.notes[at]!.message, form)
}

const linesOf = (path: string): string[] => readFileSync(path, 'latin1').split(/(?<=\n)/)
const numbered = (count: number): string[] => Array.from({ length: count }, (_, n) => String(n))

/** Leaves the files as a kill does at this moment: the process goes on, and what it writes is taken back. */
async function killed(directory: string, file: TopicFile): Promise<void> {
  const kept = namesIn(directory).map((name) => [name, readFileSync(join(directory, name))] as const)
  await file.close()
  for (const name of namesIn(directory)) rmSync(join(directory, name))
  for (const [name, bytes] of kept) writeFileSync(join(directory, name), bytes)
}

for (const [title, plan, active] of [
  ['JSON lines', {}, 'access.audit.json'],
  ['CSV', CSV, 'access.csv'],
] as const) {
  describe(`the takeover of a trail of ${title}`, () => {
    for (const [how, change, code] of [
      [
        'cut back to a signed end, with its head removed',
        (path: string) => {
          const lines = linesOf(path)
          const end = lines.findIndex((line) => line.includes('close time='))
          writeFileSync(path, lines.slice(0, end + 1).join(''), 'latin1')
          rmSync(`${path}.head`)
        },
        'CHAIN_HEAD_MISSING',
      ],
      [
        'cut back to a checkpoint, with another text as head',
        (path: string) => {
          const lines = linesOf(path)
          const end = lines.findIndex((line) => line.includes('checkpoint time='))
          writeFileSync(path, lines.slice(0, end + 1).join(''), 'latin1')
          writeFileSync(`${path}.head`, '{}')
        },
        'CHAIN_HEAD_REJECTED',
      ],
      ['without its head', (path: string) => rmSync(`${path}.head`), 'CHAIN_HEAD_MISSING'],
      [
        'cut back to a signed end',
        (path: string) => {
          const lines = linesOf(path)
          const end = lines.findIndex((line) => line.includes('close time='))
          writeFileSync(path, lines.slice(0, end + 1).join(''), 'latin1')
        },
        'CHAIN_TRUNCATED',
      ],
      ['without its active file', (path: string) => rmSync(path), 'CHAIN_TRUNCATED'],
      ['with an empty active file', (path: string) => truncateSync(path), 'CHAIN_TRUNCATED'],
      [
        'with a torn line after its end in order',
        (path: string) => appendFileSync(path, title === 'CSV' ? '"forged","x"' : FORGED),
        'CHAIN_TEXT_ADDED',
      ],
    ] as const) {
      test(`that is ${how} is an error in the log once, and a finding for ever`, async () => {
        using folder = new Folder()
        for (let n = 0; n < 3; n++) await run(folder.path, numbered(5), plan)
        await assertIntact(folder.path)
        change(folder.in(active))
        assert.deepEqual(await run(folder.path, ['next'], plan), [code])
        const { problem } = await verify(folder.path)
        assert.notEqual(problem, null)
        for (let n = 0; n < 2; n++) assert.deepEqual(await run(folder.path, numbered(4), plan), [])
        assert.deepEqual((await verify(folder.path)).problem, problem)
      })
    }

    test('whose last files were removed with the head is a finding for ever', async () => {
      using folder = new Folder()
      await run(folder.path, numbered(20), { ...plan, ...ROTATING })
      rmSync(folder.in(active))
      rmSync(folder.in(`${active}.head`))
      rmSync(folder.in(namesIn(folder.path).findLast((name) => name.startsWith(`${active}-`)) as string))
      assert.deepEqual(await run(folder.path, ['next'], { ...plan, ...ROTATING }), ['CHAIN_HEAD_MISSING'])
      const { problem } = await verify(folder.path)
      assert.match(problem?.message ?? '', /head of the trail was missing/)
      assert.deepEqual([basename(problem?.file ?? ''), problem?.line], [active, title === 'CSV' ? 2 : 1])
      await run(folder.path, numbered(20), { ...plan, ...ROTATING })
      assert.match((await verify(folder.path)).problem?.message ?? '', /head of the trail was missing/)
    })

    test('of a process that was killed at any moment, rotating, compressing and removing files, is intact', async () => {
      using folder = new Folder()
      const more = { ...plan, ...ROTATING, compress: true, retention: { ...NO_RETENTION, maxFiles: 2 } }
      const directory = folder.in('trail')
      const file = open(directory, more)
      let isDone = false
      const writing = (async () => {
        for (const id of numbered(60)) await file.append([title === 'CSV' ? `"${id}","x"` : eventText(id)])
        await file.close()
        isDone = true
      })()
      const moments: (readonly (readonly [string, Buffer])[])[] = []
      while (!isDone) {
        const moment = momentOf(directory)
        if (moment !== null) moments.push(moment)
        await new Promise(setImmediate)
      }
      await writing
      const step = Math.max(Math.floor(moments.length / 30), 1)
      for (const [at, moment] of moments.entries()) {
        if (at % step !== 0 && at > 12) continue
        const copy = folder.in(`moment-${at}`)
        mkdirSync(copy)
        for (const [name, bytes] of moment) writeFileSync(join(copy, name), bytes)
        assert.deepEqual(await run(copy, numbered(2), more), [], String(at))
        const { problem } = await verify(copy)
        assert.equal(problem, null, `${at} of ${moments.length}: ${JSON.stringify(problem)}`)
        rmSync(copy, { recursive: true })
      }
    })

    test('after kills of processes that could not write the head is intact', async () => {
      using folder = new Folder()
      const head = folder.in(`${active}.head.tmp`)
      await run(folder.path, numbered(3), plan)
      for (let n = 0; n < 2; n++) {
        mkdirSync(head)
        const file = open(folder.path, plan)
        await file.start()
        await file.append([title === 'CSV' ? '"1","x"' : eventText(n)])
        rmSync(head, { recursive: true })
        await killed(folder.path, file)
      }
      await run(folder.path, ['last'], plan)
      await assertIntact(folder.path, [/not stopped in order/, /not stopped in order/])
    })
  })
}

/** The files as they are now; null where they changed meanwhile. The head is read first, so that it is not newer than the files. */
function momentOf(directory: string): readonly (readonly [string, Buffer])[] | null {
  if (!existsSync(directory)) return null
  const names = namesIn(directory)
  try {
    const ordered = names.toSorted((a, b) => Number(b.endsWith('.head')) - Number(a.endsWith('.head')))
    const files = ordered.map((name) => [name, readFileSync(join(directory, name))] as const)
    return namesIn(directory).join() === names.join() ? files : null
  } catch {
    return null
  }
}

describe('a trail that begins', () => {
  test('has its head before its first line, so that a kill in its first moment is no finding', async () => {
    using folder = new Folder()
    mkdirSync(folder.in('access.audit.json.head.tmp'))
    const file = open(folder.path)
    await assert.rejects(file.append([eventText(1)]), { code: 'EISDIR' })
    assert.equal(folder.read('access.audit.json'), '')
    rmSync(folder.in('access.audit.json.head.tmp'), { recursive: true })
    await file.append([eventText(1)])
    await file.close()
    await assertIntact(folder.path)
  })

  test('with a torn line of a file without a chain is no finding', async () => {
    using folder = new Folder({ 'access.audit.json': '{"_id":"1","mo' })
    assert.deepEqual(await run(folder.path, ['2']), [])
    await assertIntact(folder.path, [/truncated by a crash/])
  })

  test('beside files of a time without tamper evidence is intact', async () => {
    using folder = new Folder({
      'access.audit.json': `${eventText(2)}\n`,
      'access.audit.json-2026.01.01-00.00.00': `${eventText(1)}\n`,
    })
    assert.deepEqual(await run(folder.path, ['2']), [])
    const files = ['access.audit.json', 'access.audit.json.head'].map((name) => folder.in(name))
    assert.equal((await verifyTrail(files, [CHAIN_SECRET])).problem, null)
  })
})

describe('a file that its own process opens again', () => {
  test('has no note: nothing was stopped', async () => {
    using folder = new Folder()
    for (const more of [{}, { keepOpen: false }]) {
      const file = open(folder.path, more)
      for (const id of numbered(6)) {
        await file.append([eventText(id)])
        await file.reopen()
      }
      await file.close()
    }
    await assertIntact(folder.path)
  })

  test('has no note after a disk was full', { skip: SmallDisk.isMissing }, async () => {
    using disk = new SmallDisk()
    const directory = disk.folder('audit')
    const file = open(directory)
    await file.append([eventText(1)])
    disk.fill()
    const texts = Array.from({ length: 30 }, (_, n) => eventText(n + 2, 'x'.repeat(5_000)))
    await assert.rejects(file.append(texts), { code: 'ENOSPC' })
    disk.free()
    await file.append(texts)
    await file.close()
    await assertIntact(directory)
  })

  for (const [title, isReopened] of [
    ['after SIGHUP', true],
    ['without a signal', false],
  ] as const) {
    test(`has a finding for text that it did not write, ${title}; its own events are kept`, async () => {
      using folder = new Folder()
      const env = fileEnv()
      const file = open(folder.path, {}, env)
      for (const id of numbered(3)) await file.append([eventText(id)])
      appendFileSync(folder.in('access.audit.json'), FORGED)
      if (isReopened) await file.reopen()
      for (const id of numbered(3)) await file.append([eventText(id)])
      await file.close()
      assert.deepEqual(
        env.log.entries.map(({ code }) => code),
        ['GW_AUDIT_FILE_CHAIN_TEXT_ADDED'],
      )
      await run(folder.path, numbered(3))
      const { problem } = await verify(folder.path)
      assert.deepEqual([problem?.line, problem?.message.slice(0, 19)], [6, 'this text was added'])
    })
  }

  test('is intact when the file was renamed or copied and truncated by log rotation', async () => {
    using folder = new Folder()
    const file = open(folder.path)
    const path = folder.in('access.audit.json')
    await file.append([eventText(1)])
    renameSync(path, `${path}.1`)
    await file.reopen()
    await file.append([eventText(2)])
    copyFileSync(path, `${path}.2`)
    truncateSync(path)
    await file.append([eventText(3)])
    await file.close()
    await assertIntact(folder.path)
  })
})

test('a file that log rotation renamed before a kill is no finding where it is given too', async () => {
  using folder = new Folder()
  const path = folder.in('access.audit.json')
  await run(folder.path, numbered(3))
  renameSync(path, `${path}.1`)
  assert.deepEqual(await run(folder.path, numbered(3)), ['CHAIN_TRUNCATED'])
  await assertIntact(folder.path)
  assert.match((await verifyTrail([path], [CHAIN_SECRET])).problem?.message ?? '', /were missing/)
})

test('an event that was chained after an orderly end, as the hashes of a key pair allow, is found', async () => {
  using folder = new Folder()
  const pair = generateKeyPairSync('ed25519')
  const pem = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
  const more = { chain: chainPlan({ key: { pem } }) }
  await run(folder.path, numbered(2), more)
  const path = folder.in('access.audit.json')
  const last = JSON_CHAIN.parse(linesOf(path).at(-1)?.trimEnd() ?? '')
  assert.ok(last !== null)
  const { beforeHash, afterHash } = JSON_CHAIN.line(eventText('forged'), last.number + 1)
  const hash = chainSigner({ pem }).hash(last.hash, [beforeHash, afterHash], 'utf8')
  for (const end of ['\n', '']) {
    appendFileSync(path, `${beforeHash}${hash}${afterHash}${end}`)
    const original = readFileSync(path)
    await run(folder.path, numbered(2), more)
    const { problem } = await verify(folder.path, [{ pem }])
    assert.equal(problem?.message, 'this line was added: the gateway had ended before')
    writeFileSync(path, original.subarray(0, original.lastIndexOf('{"_id":"forged"')))
    rmSync(`${path}.head`)
  }
})

describe('a restart with other columns', () => {
  const WIDER: Partial<FilePlan> = { ...CSV, headers: { access: '"a","b","c","HMAC","SIGNATURE"' } }

  test('after a kill continues from the last line of the old file', async () => {
    for (const cut of [0, 2, 20]) {
      using folder = new Folder()
      await run(folder.path, numbered(3), CSV)
      const file = open(folder.path, CSV)
      for (const id of numbered(5)) await file.append([`"${id}","x"`])
      await killed(folder.path, file)
      const path = folder.in('access.csv')
      if (cut > 0) writeFileSync(path, readFileSync(path).subarray(0, -cut))
      assert.deepEqual(await run(folder.path, ['1","2'], WIDER), [])
      assert.deepEqual(await run(folder.path, ['3'], CSV), [])
      await assertIntact(folder.path, [cut === 0 ? /not stopped in order/ : /truncated by a crash/])
      assert.equal(namesIn(folder.path).filter((name) => name.startsWith('access.csv-')).length, 2)
    }
  })

  test('after a kill within the first line of the old file is intact', async () => {
    for (const rest of ['', ',,"1.abc']) {
      using folder = new Folder()
      await run(folder.path, [], CSV)
      writeFileSync(folder.in('access.csv'), `${CSV.headers?.['access']}\r\n${rest}`)
      assert.deepEqual(await run(folder.path, ['1'], WIDER), [])
      await assertIntact(folder.path)
    }
  })
})

describe('a replaced secret', () => {
  const LATER = { secret: Buffer.alloc(32, 7) }

  test('is no finding for a verification that has both, also after retention removed files', async () => {
    using folder = new Folder()
    const more = { ...ROTATING, retention: { ...NO_RETENTION, maxFiles: 2 } }
    await run(folder.path, numbered(20), more)
    const log = await run(folder.path, numbered(2), { ...more, chain: chainPlan({ key: LATER, lines: 3 }) })
    assert.deepEqual(log, ['CHAIN_HEAD_REJECTED'])
    const both = await verify(folder.path, [CHAIN_SECRET, LATER])
    assert.equal(both.problem, null, JSON.stringify(both.problem))
  })

  test('does not hide lines that were removed before', async () => {
    using folder = new Folder()
    for (let n = 0; n < 2; n++) await run(folder.path, numbered(5))
    const path = folder.in('access.audit.json')
    const lines = linesOf(path)
    const end = lines.findIndex((line) => line.includes('close time='))
    writeFileSync(path, lines.slice(0, end + 1).join(''), 'latin1')
    await run(folder.path, numbered(2), { chain: chainPlan({ key: LATER }) })
    const { problem } = await verify(folder.path, [CHAIN_SECRET, LATER])
    assert.match(problem?.message ?? '', /head of the trail was not valid/)
  })
})

describe('the head of a trail', () => {
  test('is not valid for another topic', async () => {
    using folder = new Folder()
    await run(folder.path, numbered(3))
    for (const end of ['', '.head']) {
      renameSync(folder.in(`access.audit.json${end}`), folder.in(`payment.audit.json${end}`))
    }
    const files = ['payment.audit.json', 'payment.audit.json.head'].map((name) => folder.in(name))
    assert.match(
      (await verifyTrail(files, [CHAIN_SECRET])).problem?.message ?? '',
      /it is the head of access.audit.json/,
    )
  })
})

test('a rotation that fails leaves the chain intact', async () => {
  using folder = new Folder()
  const rotation = { ...NO_ROTATION, maxFileSize: 1_200, suffix: `-yyyy'${'x'.repeat(250)}'` }
  assert.deepEqual(await run(folder.path, numbered(12), { rotation }), ['STEP_FAILED'])
  assert.deepEqual(namesIn(folder.path), ['access.audit.json', 'access.audit.json.head'])
  await assertIntact(folder.path)
})

test('a head with a field of another version is rejected, and the entry names the field', async () => {
  using folder = new Folder()
  await run(folder.path, ['1', '2'])
  const path = folder.in('access.audit.json.head')
  writeFileSync(path, readFileSync(path, 'utf8').replace(',"signature"', ',"epoch":2,"signature"'))
  const env = fileEnv()
  const file = open(folder.path, {}, env)
  await file.start()
  await file.close()
  const [entry] = env.log.entries
  assert.equal(entry?.['code'], 'GW_AUDIT_FILE_CHAIN_HEAD_REJECTED')
  assert.equal(
    entry?.['reason'],
    'it has the field "epoch", which this version does not know: a newer one wrote it, or it was changed',
  )
})
