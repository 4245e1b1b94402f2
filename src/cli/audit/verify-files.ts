import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { type ChainKey, verifyTrail } from '#trail'
import { type Arguments, UsageError } from '../arguments.ts'
import { EXIT } from '../exit-codes.ts'
import { shownPath } from '../problems.ts'
import type { ProcessContext } from '../process-context.ts'
import { writeJson } from '../terminal.ts'
import { type AuditTrail, auditTrails, UnknownTrails } from './audit-trails.ts'
import { NamedTrails } from './named-trails.ts'

/** Result for one trail. */
interface Verified {
  readonly name: string
  /** Files that were there at the beginning. */
  readonly files: readonly string[]
  readonly report: Awaited<ReturnType<typeof verifyTrail>>
}

/** `gateway audit verify`. */
export async function verifyFiles(args: Arguments, context: ProcessContext): Promise<number> {
  const [, ...operands] = args.operands
  if (operands.length === 0) throw new UsageError('verify needs files: gateway audit verify FILE...')
  let verified: readonly Verified[]
  try {
    const secretFile = args.value('secret-file')
    const { keys, prefixed } =
      secretFile === undefined
        ? await instanceKeys(args, context)
        : { keys: fileKeys(secretFile), prefixed: new Map<string, string>() }
    verified = await verifiedTrails(new NamedTrails(operands, keys, prefixed), keys)
  } catch (error) {
    context.stderr.write(`gateway: audit: ${(error as Error).message}\n`)
    return error instanceof UnknownTrails ? EXIT.configuration : EXIT.failed
  }
  if (verified.length === 0) {
    context.stderr.write('gateway: audit: there are no audit files in the folder\n')
    return EXIT.failed
  }
  if (args.json) writeJson(context.stdout, verified.map(jsonOf))
  else for (const each of verified) context.stdout.write(reportText(each))
  return verified.every(({ report }) => report.problem === null) ? EXIT.ok : EXIT.failed
}

async function verifiedTrails(named: NamedTrails, keys: readonly ChainKey[]): Promise<readonly Verified[]> {
  const verified: Verified[] = []
  for (const { name, source } of await named.trails()) {
    const files = await source.files()
    verified.push({ name, files, report: await verifyTrail(source, keys, wait) })
  }
  return verified
}

async function instanceKeys(args: Arguments, context: ProcessContext) {
  const trails = await auditTrails(args, context)
  const keys = trails.flatMap(({ plan }) => (plan.chain === null ? [] : [plan.chain.key]))
  if (keys.length > 0) return { keys, prefixed: new Map(trails.flatMap(prefixedNames)) }
  const advice = 'enable security of an event handler, or give the secret with --secret-file'
  throw new UnknownTrails(`no event handler of the instance has tamper evidence; ${advice}`)
}

/** Names of rotated files of a handler, without their dates, and the names of its active files. */
function prefixedNames({ topics, plan: { extension, rotation } }: AuditTrail): readonly [string, string][] {
  const names = topics.map((topic) => `${topic}${extension}`)
  return names.map((name) => [`${rotation.prefix}${name}`, name])
}

/** A file may end with a line end that is not part of the secret. */
function fileKeys(path: string): readonly ChainKey[] {
  const bytes = readFileSync(path)
  if (bytes.includes('-----BEGIN ')) return [{ pem: bytes.toString('utf8') }]
  if (bytes.length === 0) throw new Error(`${path}: the secret is empty`)
  const trimmed = bytes.toString('latin1').replace(/\r?\n$/, '')
  return [{ secret: bytes }, { secret: Buffer.from(trimmed, 'latin1') }]
}

function jsonOf({ name, files, report: { problem, notes, lines, range } }: Verified): object {
  return { trail: name, files, intact: problem === null, problem, notes, lines, range }
}

function reportText({ name, files, report: { problem, notes, lines, range } }: Verified): string {
  const place = ({ file, line }: { file: string; line: number }): string => `${shownPath(file)}:${line}`
  const text = notes.map((note) => `${place(note)}: note: ${note.message}\n`)
  if (problem !== null) return [...text, `${place(problem)}: ${problem.message}\n`].join('')
  const numbers = range === null ? 'no lines' : `lines ${range.first} to ${range.last}`
  return [...text, `${shownPath(name)}: intact: ${numbers} in ${files.length} files (${lines} verified)\n`].join('')
}
