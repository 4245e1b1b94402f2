import { createHash } from 'node:crypto'
import { createReadStream, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { createGunzip } from 'node:zlib'
import { type ChainKey, verifyTrail } from '#audit'
import { type Arguments, UsageError } from '../arguments.ts'
import { EXIT } from '../exit-codes.ts'
import { shownPath } from '../problems.ts'
import type { ProcessContext } from '../process-context.ts'
import { writeJson } from '../terminal.ts'
import { auditTrails, UnknownTrails } from './audit-trails.ts'

type Report = Awaited<ReturnType<typeof verifyTrail>>

interface Trail {
  readonly name: string
  readonly files: readonly string[]
}

/** The name of a topic's file within that of a rotated file, its head or its compressed form. */
const TRAIL_NAME = /^(.*?)([A-Za-z][A-Za-z0-9_-]*\.(?:audit\.json|csv))/

/** A running gateway signs the end of a file within this time, in milliseconds. */
const SETTLE_TIME = 1_500
const ATTEMPTS = 4

/** `gateway audit verify`. */
export async function verifyFiles(args: Arguments, context: ProcessContext): Promise<number> {
  const [, ...operands] = args.operands
  if (operands.length === 0) throw new UsageError('verify needs files: gateway audit verify FILE...')
  let keys: readonly ChainKey[]
  let prefixes: readonly string[] = []
  let files: readonly string[]
  try {
    const secretFile = args.value('secret-file')
    if (secretFile === undefined) ({ keys, prefixes } = await instanceKeys(args, context))
    else keys = fileKeys(secretFile)
    files = await withoutRepeats(operands.flatMap(filesOf))
  } catch (error) {
    context.stderr.write(`gateway: audit: ${(error as Error).message}\n`)
    return error instanceof UnknownTrails ? EXIT.configuration : EXIT.failed
  }
  if (files.length === 0) {
    context.stderr.write('gateway: audit: there are no audit files in the folder\n')
    return EXIT.failed
  }
  const reports: { trail: Trail; report: Report }[] = []
  for (const trail of trailsOf(files, prefixes)) reports.push({ trail, report: await settledReport(trail.files, keys) })
  if (args.json)
    writeJson(
      context.stdout,
      reports.map(({ trail, report }) => jsonOf(trail, report)),
    )
  else for (const { trail, report } of reports) context.stdout.write(reportText(trail, report))
  return reports.every(({ report }) => report.problem === null) ? EXIT.ok : EXIT.failed
}

async function instanceKeys(args: Arguments, context: ProcessContext) {
  const trails = await auditTrails(args, context)
  const keys = trails.flatMap(({ plan }) => (plan.chain === null ? [] : [plan.chain.key]))
  if (keys.length > 0) return { keys, prefixes: trails.map(({ plan }) => plan.rotation.prefix) }
  const advice = 'enable security of an event handler, or give the secret with --secret-file'
  throw new UnknownTrails(`no event handler of the instance has tamper evidence; ${advice}`)
}

/** A file may end with a line end that is not part of the secret. */
function fileKeys(path: string): readonly ChainKey[] {
  const bytes = readFileSync(path)
  if (bytes.includes('-----BEGIN ')) return [{ pem: bytes.toString('utf8') }]
  if (bytes.length === 0) throw new Error(`${path}: the secret is empty`)
  const trimmed = bytes.toString('latin1').replace(/\r?\n$/, '')
  return [{ secret: bytes }, { secret: Buffer.from(trimmed, 'latin1') }]
}

/** A folder stands for the audit files in it. */
function filesOf(path: string): readonly string[] {
  if (!statSync(path).isDirectory()) return [path]
  const names = readdirSync(path).filter((name) => TRAIL_NAME.test(name) && !name.endsWith('.tmp'))
  return names.map((name) => join(path, name))
}

/** Files once each, without those whose compressed form is there too: a crash leaves both. */
async function withoutRepeats(files: readonly string[]): Promise<readonly string[]> {
  const found = new Map(files.map((path) => [resolve(path), path]))
  const kept: string[] = []
  for (const [path, named] of found) {
    const content = found.has(`${path}.gz`) ? await contentDigest(path) : null
    if (content === null || content !== (await contentDigest(`${path}.gz`))) kept.push(named)
  }
  return kept
}

/** Of the uncompressed content; null where it can not be read to its end, which the verification reports. */
async function contentDigest(path: string): Promise<string | null> {
  const hash = createHash('sha256')
  const add = async (content: AsyncIterable<Buffer>): Promise<void> => {
    for await (const chunk of content) hash.update(chunk)
  }
  const file = createReadStream(path)
  try {
    await (path.endsWith('.gz') ? pipeline(file, createGunzip(), add) : pipeline(file, add))
    return hash.digest('hex')
  } catch {
    return null
  }
}

/** Files of one topic in one folder are one trail. */
function trailsOf(files: readonly string[], prefixes: readonly string[]): readonly Trail[] {
  const trails = new Map<string, string[]>()
  for (const path of files) {
    const prefix = prefixes.find((text) => text !== '' && basename(path).startsWith(text)) ?? ''
    const name = basename(path).slice(prefix.length)
    const [, before = '', topic = name] = TRAIL_NAME.exec(name) ?? []
    const key = join(dirname(path), `${before}${topic}`)
    trails.set(key, [...(trails.get(key) ?? []), path])
  }
  return [...trails].map(([name, paths]) => ({ name, files: paths }))
}

/**
 * A gateway that writes at the same time is between a line and its signature: then the files are read again, until the lines of
 * the time before are signed.
 */
async function settledReport(files: readonly string[], keys: readonly ChainKey[]): Promise<Report> {
  let seen = Number.POSITIVE_INFINITY
  let before = ''
  for (let attempt = 1; ; attempt++) {
    const report = await verifyTrail(files, keys)
    const { problem, range, isEndUnsigned } = report
    if (problem === null || (isEndUnsigned && (range?.signed ?? 0) >= seen)) return { ...plain(report), problem: null }
    const now = sizesOf(files)
    if (attempt === ATTEMPTS || now === before) return report
    before = now
    seen = isEndUnsigned ? (range?.last ?? seen) : seen
    await wait(SETTLE_TIME)
  }
}

function sizesOf(files: readonly string[]): string {
  return files.map((path) => statSync(path, { throwIfNoEntry: false })?.size ?? 'none').join()
}

function plain({ problem, notes, lines, range, isEndUnsigned }: Report): Report {
  return { problem, notes, lines, range, isEndUnsigned }
}

function jsonOf({ name, files }: Trail, { problem, notes, lines, range }: Report): object {
  return { trail: name, files, intact: problem === null, problem, notes, lines, range }
}

function reportText({ name, files }: Trail, { problem, notes, lines, range }: Report): string {
  const place = ({ file, line }: { file: string; line: number }): string => `${shownPath(file)}:${line}`
  const text = notes.map((note) => `${place(note)}: note: ${note.message}\n`)
  if (problem !== null) return [...text, `${place(problem)}: ${problem.message}\n`].join('')
  const numbers = range === null ? 'no lines' : `lines ${range.first} to ${range.last}`
  return [...text, `${shownPath(name)}: intact: ${numbers} in ${files.length} files (${lines} verified)\n`].join('')
}
