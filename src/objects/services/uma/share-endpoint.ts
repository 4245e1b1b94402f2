import { randomUUID } from 'node:crypto'
import { compileRegex } from '@identity-gateway/regex'
import type { UmaEndpoints } from '#contracts'
import type { Handler } from '#http'
import type { JsonObject } from '#json'
import type { Logger } from '#logging'
import { type Clock, type ObjectEndpoint, type ObjectResult, Secret } from '#schema'
import { ProtectionApi } from '../../lib/am/protection-api.ts'
import { EVENTS } from '../log-events.ts'
import type { Share, UmaShares } from './uma-shares.ts'

interface ShareSettings {
  readonly shares: UmaShares
  readonly handler: Handler
  readonly clock: Clock
  readonly logger: Logger
  endpoints(): Promise<UmaEndpoints>
  /** All scopes of the resource that a path belongs to; null where it belongs to none. */
  scopesOf(path: string): readonly string[] | null
}

/** More would make each request slow: every pattern may have to be tried. */
const MAX_SHARES = 1_000
const MAX_PATH = 1_024
/** Creations that wait for others. */
const MAX_WAITING = 16
/** RFC 6750 section 2.1. */
const TOKEN = /^[A-Za-z0-9\-._~+/]{1,8192}={0,2}$/

/** Creates, reads and deletes shares. Creations run one after the other, so that no path is shared twice. */
export function shareEndpoint(settings: ShareSettings): ObjectEndpoint {
  const { shares } = settings
  let creating: Promise<unknown> = Promise.resolve()
  let waiting = 0
  return async (operation) => {
    if (operation.verb === 'list') return { resources: (await shares.all()).map(resourceOf) }
    if (operation.verb === 'create') {
      if (waiting >= MAX_WAITING) return refused(503, 'too many shares are being created; try again')
      waiting += 1
      const created = creating.then(() => create(settings, operation.content)).finally(() => (waiting -= 1))
      creating = created.catch(() => {})
      return created
    }
    const share = (await shares.all()).find(({ id }) => id === operation.id)
    if (share === undefined) return refused(404, 'there is no share of this id')
    if (operation.verb === 'delete') await shares.remove(share.id)
    return { resources: [resourceOf(share)] }
  }
}

async function create(settings: ShareSettings, content: JsonObject): Promise<ObjectResult> {
  const { shares, handler, clock, logger } = settings
  const { path, pat } = content
  if (typeof path !== 'string' || path === '' || path.length > MAX_PATH)
    return refused(400, `path: expected a pattern of at most ${MAX_PATH} characters, such as "/photos/.*"`)
  // The value is a secret: messages do not have it.
  if (typeof pat !== 'string' || !TOKEN.test(pat)) return refused(400, 'pat: expected a protection API token')
  const problem = patternProblem(path)
  if (problem !== null) return refused(400, `path: expected a regular expression: ${problem}`)
  const scopes = settings.scopesOf(path)
  if (scopes === null)
    return refused(400, 'path: expected a path that matches a pattern in resources of the UmaService')
  const current = await shares.all()
  if (current.some((share) => share.path === path))
    return refused(409, 'path: it is shared already; delete that share first')
  if (current.length >= MAX_SHARES) return refused(409, `limit of ${MAX_SHARES} shares reached; delete some first`)
  const secret = new Secret({ secretId: 'uma.pat', bytes: Buffer.from(pat, 'utf8') })
  try {
    const api = new ProtectionApi(handler, await settings.endpoints())
    // The server rejects a name that it has already, and shares do not outlive the gateway.
    const { id: resourceId, policyUri } = await api.register(`${path} @ ${clock.now()}`, scopes, secret)
    const id = randomUUID()
    await shares.add(id, { path, pat, resourceId, policyUri })
    return { resources: [resourceOf({ id, path, resourceId, policyUri })] }
  } catch (error) {
    logger.limited().warn({ error }, EVENTS.SHARE_NOT_REGISTERED)
    return refused(502, 'the authorization server did not register the resource; check the token, and see the log')
  }
}

function patternProblem(path: string): string | null {
  try {
    compileRegex(path)
    return null
  } catch (error) {
    return (error as Error).message
  }
}

/** As in OpenIG, without the token. */
function resourceOf({ id, path, resourceId, policyUri }: Pick<Share, 'id' | 'path' | 'resourceId' | 'policyUri'>) {
  return {
    id,
    content: {
      id,
      path,
      resource_set_id: resourceId,
      ...(policyUri !== null && { user_access_policy_uri: policyUri }),
    },
  }
}

function refused(status: number, message: string): ObjectResult {
  return { refused: { status, message } }
}
