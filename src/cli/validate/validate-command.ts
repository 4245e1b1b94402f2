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
import { paintFor, writeJson } from '../terminal.ts'
import { checkRouteFiles } from './route-file-check.ts'

const MANY = 200

const WITHOUT_SECRETS: CommandOption = {
  name: 'without-secrets',
  description: 'Do not look up the secrets that objects name, for a machine without them.',
}

/** Result of a check. */
interface Findings {
  readonly problems: readonly LocatedProblem[]
  readonly warnings: readonly LocatedProblem[]
  /** Summary of the checked files. */
  readonly checked: string
}

/** `gateway validate`: builds the whole configuration without serving traffic. */
export const ValidateCommand: Command = {
  usage: [
    'validate [--instance DIR] [--without-secrets] [-Dname=value]... [--json]',
    'validate [--instance DIR] [--without-secrets] [-Dname=value]... FILE... [--json]',
  ],
  description: [
    'Checks admin.json, config.json and every route of every router, by building all of it. Referenced local files are opened, and secrets are looked up; no network is used, no port opened.',
    'With FILE, each file is checked as a route of the instance, or of an empty one without --instance; it may be in any folder.',
    'Every problem is a line "file:line:column: /json/pointer: message" on standard output. Warnings are written to standard error.',
  ],
  options: [INSTANCE_OPTION, WITHOUT_SECRETS, DEFINE_OPTION],
  operands: { least: 0, most: Number.POSITIVE_INFINITY },
  examples: [
    { line: 'gateway validate --instance ./my-gateway', note: 'before a deployment' },
    { line: 'gateway validate new-route.json', note: 'a file before its deployment' },
  ],
  exits: [[EXIT.configuration, 'there are problems']],
  async run(args, context) {
    const files = args.operands
    const isInstance = files.length === 0 || args.has('instance')
    const instance = isInstance ? chosenInstance(args, context).instance : null
    const missing = instance === null ? null : missingInstance(instance)
    if (missing !== null) return report({ problems: [missing], warnings: [], checked: '' }, args.json, context)
    const options = { secretsLookedUp: !args.has(WITHOUT_SECRETS.name), system: definedProperties(args, context) }
    const findings =
      files.length > 0
        ? await checkRouteFiles(files, instance, context, options)
        : await checkInstance(instance as string, context, options)
    return report(findings, args.json, context)
  },
}

async function checkInstance(instance: string, context: ProcessContext, options: DryRunOptions): Promise<Findings> {
  const folders = new RouteFolders('provided', progressOn(context))
  await using dryRun = await openDryRun(instance, context, folders, options)
  const { problems, warnings } = dryRun
  const files = folders.folders.reduce((sum, folder) => sum + folder.files, 0)
  return { problems, warnings, checked: `${counted(files, 'route file')} and the files around them` }
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
  const paint = paintFor(stderr, context)
  for (const problem of problems) stdout.write(`${formatLocated(problem)}\n`)
  for (const warning of warnings) stderr.write(`${paint('yellow', 'warning:')} ${formatLocated(warning)}\n`)
  const files = new Set(problems.map(({ file }) => file)).size
  if (problems.length > 0) stderr.write(`${counted(problems.length, 'problem')} in ${counted(files, 'file')}\n`)
  else stdout.write(`${paintFor(stdout, context)('green', 'valid:')} ${checked}\n`)
  return code
}

function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
