import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Arguments, UsageError } from '../arguments.ts'
import type { Command } from '../command.ts'
import type { CommandOption } from '../command-syntax.ts'
import { type DryRunOptions, openDryRun } from '../dry-run/dry-run.ts'
import { RouteFolders } from '../dry-run/route-folders.ts'
import { EXIT } from '../exit-codes.ts'
import {
  chosenInstance,
  DEFINE_OPTION,
  definedProperties,
  INSTANCE_OPTION,
  missingInstance,
} from '../instance-settings.ts'
import { formatLocated, type LocatedProblem, shownPath } from '../problems.ts'
import type { ProcessContext } from '../process-context.ts'
import { counted, paintFor, printable, writeJson } from '../terminal.ts'
import { causesOf } from './causes.ts'
import { misplacedInstance } from './misplaced-instance.ts'
import { checkRouteFiles } from './route-file-check.ts'
import { scriptNameProblems } from './script-names.ts'
import { writtenPathProblems } from './written-paths.ts'

const MANY = 200

const WITHOUT_SECRETS: CommandOption = {
  name: 'without-secrets',
  description:
    'Do not look up the secrets that objects name, nor report objects that can not be built without theirs, nor check the file of the access log and the temporary directory, for a machine without them.',
}

const REPORT: CommandOption = {
  name: 'report',
  description: 'Print the causes for which files do not load, each with its number of files, most first.',
}

/** Result of a check. */
interface Findings {
  readonly problems: readonly LocatedProblem[]
  readonly warnings: readonly LocatedProblem[]
  /** Summary of the checked files. */
  readonly checked: string
  /** Number of the checked files. */
  readonly files: number
}

/** `gateway validate`: builds the whole configuration without serving traffic. */
export const command: Command = {
  usage: [
    'validate [--instance DIR] [--without-secrets] [-Dname=value]... [INSTANCE] [--report] [--json]',
    'validate [--instance DIR] [--without-secrets] [-Dname=value]... FILE... [--report] [--json]',
  ],
  description: [
    'Checks admin.json, config.json and every route of every router, by building all of it. Referenced local files are opened, and secrets are looked up; no network is used, no port opened.',
    'A directory is an instance, as by --instance. With FILE, each file is checked as a route of the instance, or of an empty one without --instance; it may be in any folder.',
    'Every problem is a line "file:line:column: /json/pointer: message" on standard output. Warnings are written to standard error. Output has colours on a terminal, unless NO_COLOR is set; FORCE_COLOR=1 colours other output.',
    'With --report the output has one line for each cause instead, such as an unknown type, with the number of files that it stops; with --json a list of causes with their files.',
  ],
  options: [INSTANCE_OPTION, WITHOUT_SECRETS, DEFINE_OPTION, REPORT],
  operands: { least: 0, most: Number.POSITIVE_INFINITY, complete: 'file' },
  examples: [
    { line: 'gateway validate --instance ./my-gateway', note: 'before a deployment' },
    { line: 'gateway validate new-route.json', note: 'a file before its deployment' },
    { line: 'gateway validate --report --instance ./openig', note: 'the work that a migration needs' },
  ],
  exits: [[EXIT.configuration, 'there are problems']],
  async run(args, context) {
    const folder = folderOf(args)
    const files = folder === undefined ? args.operands : []
    const isInstance = files.length === 0 || args.has('instance')
    const instance = isInstance ? chosenInstance(args, context, folder).instance : null
    const missing =
      instance === null ? null : (missingInstance(instance) ?? misplacedInstance(instance, folder !== undefined))
    const print = args.has(REPORT.name) ? reportCauses : report
    if (missing !== null) return print({ problems: [missing], warnings: [], checked: '', files: 0 }, args.json, context)
    const secretsAbsent = args.has(WITHOUT_SECRETS.name)
    const options = { secretsLookedUp: !secretsAbsent, secretsAbsent, system: definedProperties(args, context) }
    const findings =
      files.length > 0
        ? await checkRouteFiles(files, instance, context, options)
        : await checkInstance(instance as string, context, options)
    return print(findings, args.json, context)
  },
}

/** The operand that is a directory, the instance. */
function folderOf(args: Arguments): string | undefined {
  const folder = args.operands.find(isDirectory)
  if (folder === undefined) return undefined
  if (args.operands.length > 1) throw new UsageError(`${folder} is a directory, an instance, which is checked alone`)
  if (args.has(INSTANCE_OPTION.name))
    throw new UsageError(`give the instance either as argument or by --${INSTANCE_OPTION.name}`)
  return folder
}

/** False for what can not be read: the check of the file then says why. */
function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

async function checkInstance(instance: string, context: ProcessContext, options: DryRunOptions): Promise<Findings> {
  const folders = new RouteFolders('provided', progressOn(context))
  await using dryRun = await openDryRun(instance, context, folders, options)
  const { warnings } = dryRun
  // A machine without the secrets of the gateway does not have its folders either.
  const written = options.secretsLookedUp === false ? [] : writtenPathProblems(dryRun)
  const problems = [...dryRun.problems, ...scriptNameProblems(dryRun.directories), ...written]
  const files = folders.folders.reduce((sum, folder) => sum + folder.files, 0)
  const around = ['admin.json', 'config.json'].filter((name) =>
    existsSync(join(dryRun.directories.config, name)),
  ).length
  const checked = `${counted(files, 'route file')} and the files around them`
  return { problems, warnings, checked, files: files + around }
}

/** Shows progress on a terminal, since many routes take a while. */
function progressOn({ stderr }: ProcessContext): (directory: string, files: number) => void {
  return (directory, files) => {
    if (stderr.isTTY === true && files >= MANY)
      stderr.write(`checking ${counted(files, 'route file')} of ${shownPath(directory)} ...\n`)
  }
}

function report({ problems, warnings, checked }: Findings, json: boolean, context: ProcessContext): number {
  const { stdout, stderr } = context
  const code = problems.length === 0 ? EXIT.ok : EXIT.configuration
  if (json) {
    writeJson(stdout, { valid: problems.length === 0, problems, warnings })
    return code
  }
  const [paint, paintWarning] = [paintFor(stdout, context), paintFor(stderr, context)]
  for (const problem of problems) stdout.write(`${formatLocated(problem, paint)}\n`)
  for (const warning of warnings)
    stderr.write(`${paintWarning('yellow', 'warning:')} ${formatLocated(warning, paintWarning)}\n`)
  const files = new Set(problems.map(({ file }) => file)).size
  const sum = `${counted(problems.length, 'problem')} in ${counted(files, 'file')}`
  if (problems.length > 0) stderr.write(`${paintWarning('red', sum)}\n`)
  else stdout.write(`${paint('green', 'valid:')} ${checked}\n`)
  return code
}

function reportCauses({ problems, files }: Findings, json: boolean, { stdout, stderr }: ProcessContext): number {
  const causes = causesOf(problems)
  if (json) writeJson(stdout, causes)
  else
    for (const { cause, files: stopped } of causes)
      stdout.write(`${counted(stopped.length, 'file')}: ${printable(cause)}\n`)
  const failed = new Set(problems.map(({ file }) => file)).size
  stderr.write(`${Math.max(0, files - failed)} of ${counted(files, 'file')} load\n`)
  return failed === 0 ? EXIT.ok : EXIT.configuration
}
