import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ApiSecurity } from '#crest'
import { type Exchange, equalsConstantTime, type Filter } from '#http'
import { ADMIN_USER, type AdminCaller, AdminCallerContext } from './admin-caller.ts'
import { crestError } from './crest-error.ts'

/** Credentials of the management API. */
export interface AdminCredentials {
  /** The admin password; null where none is configured. Read on each call, so that a changed file takes effect at once. */
  password(): string | null
}

const SECRET_ID = 'gateway.admin.password'
const LONGEST_PASSWORD = 4096

/** The admin credentials as security schemes of OpenAPI documents. */
export const ADMIN_SECURITY: ApiSecurity = {
  schemes: {
    basic: { type: 'http', scheme: 'basic', description: 'The user admin with the admin password.' },
    bearer: { type: 'http', scheme: 'bearer', description: 'The admin password.' },
  },
  oneOf: ['basic', 'bearer'],
}

/** The password from the file `secrets/gateway.admin.password`, otherwise from the environment (decisions 3). */
export function adminCredentials(secrets: string, env: Readonly<Record<string, string | undefined>>): AdminCredentials {
  return {
    password: () => {
      const fromFile = readPassword(join(secrets, SECRET_ID))
      const found = fromFile ?? env['GATEWAY_ADMIN_PASSWORD'] ?? null
      return found === '' ? null : found
    },
  }
}

function readPassword(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
      .slice(0, LONGEST_PASSWORD)
      .replace(/\r?\n$/, '')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** Accepts requests with the admin credentials; where none are configured, the mode decides (decisions 3). Sets the caller. */
export function authenticate(
  credentials: AdminCredentials,
  mode: 'PRODUCTION' | 'DEVELOPMENT',
  isOpenToLoopback: (path: string) => boolean,
): Filter {
  return async (exchange, next) => {
    const password = credentials.password()
    const loopback = isLoopback(exchange.client.remoteAddress)
    const onward = (caller: AdminCaller) => next(exchange.with(AdminCallerContext, caller))
    if (loopback && isOpenToLoopback(exchange.request.uri.path)) return next(exchange)
    if (password === null && mode === 'DEVELOPMENT' && loopback) {
      return onward({ userId: null, authentication: 'loopback' })
    }
    const authentication = password === null ? null : presented(exchange, password)
    if (authentication !== null) return onward({ userId: ADMIN_USER, authentication })
    return crestError(401, 'this needs the admin credentials', {
      'WWW-Authenticate': 'Basic realm="IdentityGateway", charset="UTF-8"',
    })
  }
}

/** The scheme of the credentials: Basic with the user `admin`, or Bearer; exactly one Authorization header. */
function presented({ request }: Exchange, password: string): 'basic' | 'bearer' | null {
  const headers = request.headers.all('authorization')
  const [scheme = '', value = '', ...more] = (headers.length === 1 ? (headers[0] as string) : '').split(' ')
  if (more.length > 0 || value === '') return null
  if (scheme.toLowerCase() === 'bearer') return equalsConstantTime(value, password) ? 'bearer' : null
  if (scheme.toLowerCase() !== 'basic') return null
  return equalsConstantTime(Buffer.from(value, 'base64').toString('utf8'), `${ADMIN_USER}:${password}`) ? 'basic' : null
}

/** Whether an address is a loopback address. */
export function isLoopback(address: string): boolean {
  return address === '::1' || /^127\.\d+\.\d+\.\d+$/.test(address)
}
