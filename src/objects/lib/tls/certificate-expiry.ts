import type { X509Certificate } from 'node:crypto'
import type { KeyManager, TlsIdentity } from '#contracts'
import type { Environment } from '#schema'
import { EVENTS } from './log-events.ts'
import { checkIdentities } from './usable-identities.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** Below the time at which certbot and cert-manager renew, so that a working renewal causes no warning. */
const PART_OF_LIFETIME = 0.1
const LONGEST_NOTICE = 14 * DAY

/** Why a certificate is, or soon will be, rejected by peers; null for one that is valid long enough. */
export function validityProblem({ validFromDate, validToDate }: X509Certificate, now: number): string | null {
  const [start, end] = [validFromDate.getTime(), validToDate.getTime()]
  if (now >= end) return `expired on ${validToDate.toISOString()}: peers reject it; renew it`
  if (now < start) return `is not valid before ${validFromDate.toISOString()}: peers reject it; check the clock`
  const notice = Math.max(DAY, Math.min(LONGEST_NOTICE, (end - start) * PART_OF_LIFETIME))
  if (end - now > notice) return null
  return `expires on ${validToDate.toISOString()}, in ${remaining(end - now)}; renew it`
}

function remaining(milliseconds: number): string {
  const [count, unit] =
    milliseconds < 2 * DAY ? [Math.floor(milliseconds / HOUR), 'hour'] : [Math.floor(milliseconds / DAY), 'day']
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

/** Subject of a certificate, or its host names: authorities leave one of them empty. */
function namesOf({ subject, subjectAltName }: X509Certificate): string {
  const names = subject || subjectAltName
  return names === undefined ? '' : `"${names.replaceAll('\n', ', ')}" `
}

type ExpiryEnvironment = Pick<Environment, 'clock' | 'logger' | 'warn'>

/** Identities in use, with their name in messages. */
interface IdentitySource {
  readonly name: string
  readonly last: readonly TlsIdentity[]
}

/** Warns of certificates that have expired or will soon: at load, then once a day and after a renewal. */
export class ExpiryWarnings {
  readonly #sources: readonly IdentitySource[]
  readonly #env: ExpiryEnvironment
  /** Day of the last warning, by source and fingerprint of a certificate in use. */
  #warned = new Map<string, number>()

  constructor(sources: readonly IdentitySource[], env: ExpiryEnvironment) {
    this.#sources = sources
    this.#env = env
  }

  /** Adds warnings to those of the configuration. */
  warnAtLoad(): void {
    this.#report((_source, message) => this.#env.warn(message))
  }

  /** Logs what was not logged today. */
  check(): void {
    this.#report((source, message) =>
      this.#env.logger.warn({ certificate: source.name }, EVENTS.CERTIFICATE_EXPIRES.withMessage(message)),
    )
  }

  #report(warn: (source: IdentitySource, message: string) => void): void {
    const now = this.#env.clock.now()
    const today = Math.floor(now / DAY)
    const warned = new Map<string, number>()
    for (const source of this.#sources) {
      for (const { chain } of source.last) {
        const [own] = chain
        const problem = own === undefined ? null : validityProblem(own, now)
        if (own === undefined || problem === null) continue
        const certificate = `${source.name} ${own.fingerprint256}`
        warned.set(certificate, today)
        if (this.#warned.get(certificate) !== today)
          warn(source, `the certificate ${namesOf(own)}of ${source.name} ${problem}`)
      }
    }
    this.#warned = warned
  }
}

/** Checks each hour until the object is disposed. */
export function checkHourly(env: Pick<Environment, 'onDispose'>, check: () => void): void {
  const timer = setInterval(check, HOUR).unref()
  env.onDispose(() => clearInterval(timer))
}

/** Throws for unusable keys of clients, and warns of their certificates that have expired or will soon. */
export async function checkClientKeys(
  keys: KeyManager,
  env: ExpiryEnvironment & Pick<Environment, 'serving' | 'onDispose'>,
): Promise<void> {
  const source = { name: 'keyManager', last: await keys.identities() }
  checkIdentities(source.last)
  const warnings = new ExpiryWarnings([source], env)
  warnings.warnAtLoad()
  if (!env.serving) return
  checkHourly(env, async () => {
    // A failure is reported by the source; the known certificates expire all the same.
    source.last = await keys.identities().catch(() => source.last)
    warnings.check()
  })
}
