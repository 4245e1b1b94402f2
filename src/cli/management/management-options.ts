import { readFileSync } from 'node:fs'
import { type Arguments, UsageError } from '../arguments.ts'
import type { CommandOption } from '../command-syntax.ts'
import type { ProcessContext } from '../process-context.ts'

/** The management connector of a default instance. */
export const LOCAL_MANAGEMENT_API = 'http://127.0.0.1:8085'

/** The option that names the management connector of a running gateway. */
const GATEWAY_OPTION: CommandOption = {
  name: 'gateway',
  value: 'URL',
  description:
    'Address of the management connector. By default $GATEWAY_ADMIN_URL, otherwise that of admin.json of the instance.',
}

/** The option that names the file of the admin password. */
export const PASSWORD_OPTION: CommandOption = {
  name: 'password-file',
  value: 'FILE',
  description:
    'File of the admin password. By default secrets/gateway.admin.password of the instance, otherwise $GATEWAY_ADMIN_PASSWORD.',
}

/** The option that names the certificate authority of the management connector. */
export const CA_OPTION: CommandOption = {
  name: 'ca',
  value: 'FILE',
  description: 'Certificates (PEM) that sign that of the management connector, beside the public ones.',
}

/** Options of commands that use the management API. */
export const MANAGEMENT_OPTIONS: readonly CommandOption[] = [GATEWAY_OPTION, PASSWORD_OPTION, CA_OPTION]

/** The address of the command line or of the environment; null without one. */
export function namedAddress(args: Arguments, { env }: Pick<ProcessContext, 'env'>): URL | null {
  const option = args.value(GATEWAY_OPTION.name)
  const named = option ?? env['GATEWAY_ADMIN_URL']
  if (named === undefined || named === '') return null
  const url = URL.canParse(named) ? new URL(named) : null
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '') return url
  const where = option === undefined ? 'GATEWAY_ADMIN_URL' : `--${GATEWAY_OPTION.name}`
  // Not repeated where it may have a password.
  const found = url !== null && url.password !== '' ? 'one with a password' : JSON.stringify(named)
  throw new UsageError(`${where}: expected a URL such as ${LOCAL_MANAGEMENT_API}, got ${found}`)
}

/** The certificates of the option `--ca`; null without it. */
export function namedAuthorities(args: Arguments): string | null {
  const file = args.value(CA_OPTION.name)
  return file === undefined ? null : fileOption(CA_OPTION.name, file)
}

/** The content of a file that an option names. Throws UsageError. */
export function fileOption(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new UsageError(`--${name}: the file can not be read: ${(error as Error).message}`)
  }
}
