import { existsSync } from 'node:fs'
import { adminCredentials } from '#control'
import { instanceDirectories } from '#instance'
import type { Arguments } from '../arguments.ts'
import { SILENT_LOGGER } from '../dry-run/silent-logger.ts'
import { EXIT } from '../exit-codes.ts'
import { forInstance, instanceIfAny, openSettings } from '../instance-settings.ts'
import { formatLocated } from '../problems.ts'
import type { ProcessContext } from '../process-context.ts'
import { urlOf } from '../run/announcement.ts'
import { ManagementClient, ManagementUnavailable } from './management-client.ts'
import {
  fileOption,
  LOCAL_MANAGEMENT_API,
  namedAddress,
  namedAuthorities,
  PASSWORD_OPTION,
} from './management-options.ts'

/**
 * A client with the address and password of the command line, of the environment, or of the instance, which is null
 * without a home directory.
 */
export async function openManagement(
  args: Arguments,
  instance: string | null,
  context: ProcessContext,
): Promise<ManagementClient> {
  const url = namedAddress(args, context) ?? (await addressOf(instance, context))
  const file = args.value(PASSWORD_OPTION.name)
  const password = file === undefined ? passwordOf(instance, context) : fileOption(PASSWORD_OPTION.name, file).trim()
  return new ManagementClient({ url, password, ca: namedAuthorities(args) })
}

/** Runs a command with the management API of a gateway; where that can not be used, the reason is printed. */
export async function withManagement(
  name: string,
  args: Arguments,
  context: ProcessContext,
  run: (client: ManagementClient) => Promise<number>,
  instance = instanceIfAny(args, context),
): Promise<number> {
  try {
    return await run(await openManagement(args, instance, context))
  } catch (error) {
    if (!(error instanceof ManagementUnavailable)) throw error
    context.stderr.write(`gateway: ${name}: ${error.message}\n`)
    return EXIT.unavailable
  }
}

/** The management connector in admin.json; the default one without an instance. */
async function addressOf(instance: string | null, caller: ProcessContext): Promise<URL> {
  if (instance === null || !existsSync(instance)) return new URL(LOCAL_MANAGEMENT_API)
  const context = forInstance(caller, instance)
  const opened = await openSettings(instance, SILENT_LOGGER, context, { serving: false })
  if ('problems' in opened)
    throw new ManagementUnavailable(opened.problems.map((problem) => formatLocated(problem)).join('\n'))
  const { admin } = opened.settings
  await opened.settings.dispose()
  const port = admin.ports[0] ?? 0
  if (port === 0) {
    const how = 'the port of adminConnector in admin.json is 0; name the address with --gateway URL'
    throw new ManagementUnavailable(how)
  }
  return new URL(urlOf(admin.host, port, admin.secure))
}

function passwordOf(instance: string | null, { env }: ProcessContext): string | null {
  if (instance === null) return env['GATEWAY_ADMIN_PASSWORD'] ?? null
  try {
    return adminCredentials(instanceDirectories(instance).secrets, env).password()
  } catch (error) {
    const how = `name its file with --${PASSWORD_OPTION.name} FILE`
    throw new ManagementUnavailable(`the admin password can not be read: ${(error as Error).message}; ${how}`)
  }
}
