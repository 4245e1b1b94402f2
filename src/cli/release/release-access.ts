import { parseDuration } from '#expression'
import type { JsonObject } from '#json'
import { type Arguments, UsageError } from '../arguments.ts'
import type { CommandOption } from '../command-syntax.ts'
import { EXIT } from '../exit-codes.ts'
import { INSTANCE_OPTION, instanceIfAny } from '../instance-settings.ts'
import { ManagementRefused, ManagementUnavailable } from '../management/management-client.ts'
import { MANAGEMENT_OPTIONS } from '../management/management-options.ts'
import { openManagement } from '../management/open-management.ts'
import type { ProcessContext } from '../process-context.ts'
import { printable } from '../terminal.ts'
import { ReleaseClient } from './release-client.ts'

/** Options of commands that use releases. */
export const RELEASE_OPTIONS: readonly CommandOption[] = [INSTANCE_OPTION, ...MANAGEMENT_OPTIONS]

/** The option that waits until instances serve a release. */
export const WAIT_OPTION: CommandOption = {
  name: 'wait',
  value: 'TIME',
  description:
    'Wait so long, such as 30s, until every living instance that should serve the release does; otherwise exit with 1 and name the others.',
}

/** Exit codes of these commands (decisions 12). */
export const RELEASE_EXITS: readonly (readonly [code: number, meaning: string])[] = [
  [EXIT.temporary, 'the gateway or its store can not be reached, or another change came first'],
  [EXIT.configuration, 'the gateway has no store, or there is no such instance'],
]

/** The time to wait in milliseconds; null without the option. */
export function waitTime(args: Arguments): number | null {
  const text = args.value(WAIT_OPTION.name)
  if (text === undefined) return null
  const time = parseDuration(text)
  if (time === null || time <= 0 || time > 86_400_000)
    throw new UsageError(`--wait: expected a time such as 30s, at most one day, got ${JSON.stringify(text)}`)
  return time
}

/** Labels of the form NAME=VALUE; null without any. */
export function labelsOf(args: Arguments, option: string): Readonly<Record<string, string>> | null {
  const labels = args.values(option).map((text) => {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? []
    if (name === undefined || value === undefined)
      throw new UsageError(`--${option}: expected a label such as stage=canary, got ${JSON.stringify(text)}`)
    return [name, value] as const
  })
  return labels.length === 0 ? null : Object.fromEntries(labels)
}

/** `stage=canary, zone=a`. */
export function labelText(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ')
}

/** Runs a command with the releases of a gateway, that of the instance by default; refusals and outages become messages and exit codes. */
export async function withReleases(
  name: string,
  args: Arguments,
  context: ProcessContext,
  run: (releases: ReleaseClient) => Promise<number>,
  { instance }: { readonly instance?: string | undefined } = {},
): Promise<number> {
  try {
    return await run(new ReleaseClient(await openManagement(args, instanceIfAny(args, context, instance), context)))
  } catch (error) {
    const { stderr } = context
    if (error instanceof ManagementUnavailable) {
      // The path of the collection itself.
      const isWithoutStore = error.status === 404
      const reason = isWithoutStore ? 'the gateway has no store; see "store" of admin.json' : error.message
      stderr.write(`gateway: ${name}: ${printable(reason)}\n`)
      return isWithoutStore ? EXIT.configuration : EXIT.temporary
    }
    if (!(error instanceof ManagementRefused)) throw error
    for (const problem of problemsIn(error.detail)) stderr.write(`${printable(problem)}\n`)
    stderr.write(`gateway: ${name}: ${printable(error.message)}\n`)
    return EXITS[error.status] ?? EXIT.temporary
  }
}

/** Nothing was made of a release that does not validate or is too large. Other refusals: another change came first, or has to be decided. */
const EXITS: Readonly<Record<number, number>> = {
  400: EXIT.configuration,
  404: EXIT.usage,
  413: EXIT.configuration,
}

/** `file: /pointer: message` of each problem of a response. */
function problemsIn({ problems }: JsonObject): string[] {
  if (!Array.isArray(problems)) return []
  return (problems as { file?: string; pointer?: string; message?: string }[]).map(problemText)
}

/** A problem of a file, or of the release where it names none. */
export function problemText({
  file = '',
  pointer = '',
  message = '',
}: {
  readonly file?: string
  readonly pointer?: string
  readonly message?: string
}): string {
  return [file, pointer, message].filter((part) => part !== '').join(': ')
}
