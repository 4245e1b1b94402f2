import { type Arguments, UsageError } from '../arguments.ts'
import type { Command } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { chosenInstance, INSTANCE_OPTION, missingInstance } from '../instance-settings.ts'
import type { ManagementClient } from '../management/management-client.ts'
import { MANAGEMENT_OPTIONS } from '../management/management-options.ts'
import { withManagement } from '../management/open-management.ts'
import { formatLocated } from '../problems.ts'
import type { ProcessContext } from '../process-context.ts'
import { counted, type Paint, paintFor, printable, writeJson } from '../terminal.ts'
import { type Comparison, compareWithRunning, type FileDifference } from './comparison.ts'
import { hunkLine } from './hunk-line.ts'

/** `gateway diff`: the files of an instance compared with the configuration that a gateway runs. */
export const command: Command = {
  usage: ['diff [INSTANCE] [--gateway URL] [--password-file FILE] [--ca FILE] [--text] [--json]'],
  description: [
    'Compares config.json and the route files of an instance with those that a running gateway serves, and prints unified diffs from the running version (-) to the file (+). Of admin.json it reports only whether it has changed. A route whose file does not load is compared with its last good version, which is still served.',
    'Values are compared: comments, white space and the order of members are no difference, and are not in the output. With --text they are, and the output can be applied by patch -p1.',
    'INSTANCE may be another copy than that of the gateway, such as a checkout before its deployment: name the gateway with --gateway. Folders of routers that the gateway does not have are not compared.',
  ],
  options: [
    INSTANCE_OPTION,
    ...MANAGEMENT_OPTIONS,
    { name: 'text', description: 'Compare the texts, with comments and white space.' },
  ],
  operands: { least: 0, most: 1, complete: 'directory' },
  examples: [
    { line: 'gateway diff ./my-gateway', note: 'is every change in effect?' },
    {
      line: 'gateway diff ./checkout --gateway https://gateway.example.com:8085 --password-file password',
      note: 'what would a deployment change?',
    },
  ],
  exits: [
    [EXIT.failed, 'there are differences'],
    [EXIT.unavailable, 'the gateway can not be reached, or does not accept the password'],
    [EXIT.configuration, 'there is no such instance'],
  ],
  async run(args, context) {
    const instance = instanceOf(args, context)
    const missing = missingInstance(instance)
    if (missing !== null) {
      context.stderr.write(`${formatLocated(missing)}\n`)
      return EXIT.configuration
    }
    const compare = async (client: ManagementClient) => {
      const comparison = await compareWithRunning(instance, client, args.has('text') ? 'text' : 'values')
      if (args.json) writeJson(context.stdout, { same: comparison.differences.length === 0, ...comparison })
      else report(comparison, context)
      return comparison.differences.length === 0 ? EXIT.ok : EXIT.failed
    }
    return withManagement('diff', args, context, compare, instance)
  },
}

function instanceOf(args: Arguments, context: ProcessContext): string {
  const [operand] = args.operands
  if (operand !== undefined && args.has(INSTANCE_OPTION.name))
    throw new UsageError(`the instance is given twice: ${JSON.stringify(operand)} and --${INSTANCE_OPTION.name}`)
  return chosenInstance(args, context, operand).instance
}

function report({ differences, compared }: Comparison, context: ProcessContext): void {
  const { stdout, stderr } = context
  const paint = paintFor(stdout, context)
  for (const difference of differences) stdout.write(`${differenceLines(difference, paint).join('\n')}\n`)
  if (differences.length === 0) stdout.write(`${paint('green', 'same:')} ${counted(compared, 'file')}\n`)
  else stderr.write(`${counted(differences.length, 'file')} of ${compared} differ\n`)
}

function differenceLines({ file, route, change, notes, hunks }: FileDifference, paint: Paint): string[] {
  const of = route === null ? '' : `, route ${printable(route.id)} of ${printable(route.router)}`
  const shown = printable(file)
  const names = [
    paint('bold', `--- ${change === 'added' ? '/dev/null' : `running/${shown}`}`),
    paint('bold', `+++ ${change === 'removed' ? '/dev/null' : `folder/${shown}`}`),
  ]
  return [
    `${paint('bold', shown)}: ${change}${of}`,
    ...notes.map((note) => `  ${paint('yellow', printable(note))}`),
    ...(hunks.length === 0 ? [] : names),
    ...hunks.map((line) => hunkLine(line, paint)),
  ]
}
