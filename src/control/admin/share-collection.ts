import {
  type Call,
  type Collection,
  contentRevision,
  listResources,
  type Outcome,
  PageCookies,
  Refusal,
  type Resource,
} from '#crest'
import type { ObjectOperation, ObjectResource } from '#schema'
import { type AuditedState, recordChange } from '../audit/change-recorder.ts'
import type { UnitLink } from '../units/unit-link.ts'
import { ADMIN_DESCRIPTIONS } from './admin-descriptions.ts'

/** The shares of a UmaService, in the management API. */
interface Shares {
  /** Qualified name of the object. */
  readonly object: string
  units(): readonly UnitLink[]
}

const cookies = new PageCookies()

/** Name of the endpoint in paths. */
export const SHARE = 'share'

/** The shares of one UmaService, which a unit keeps in the store of the gateway. */
export function shareCollection({ object, units }: Shares): Collection {
  const ask = async (operation: ObjectOperation): Promise<readonly Resource[] | Refusal> => {
    const unit = units().find(({ state }) => state === 'ready')
    if (unit === undefined) return new Refusal(503, 'no unit is ready; try again')
    const result = await unit.remote
      .objectEndpoint({ object, endpoint: SHARE, operation })
      .catch((error: Error) => ({ refused: { status: 503, message: `${error.message}; try again` } }))
    if (result === null) return new Refusal(404, 'there is no UmaService of this name that is served')
    if ('refused' in result) return new Refusal(result.refused.status, result.refused.message)
    return result.resources.map(resourceOf)
  }
  const askForOne = async (operation: ObjectOperation): Outcome<Resource> => {
    const found = await ask(operation)
    if (found instanceof Refusal) return found
    const [resource] = found
    return resource ?? new Refusal(404, 'there is no share of this id')
  }
  return {
    kind: 'collection',
    description: ADMIN_DESCRIPTIONS.endpoints.shares,
    create: async (call, _, content) => noted(call, 'after', await askForOne({ verb: 'create', content })),
    read: (_, id) => askForOne({ verb: 'read', id }),
    delete: async (call, id) => noted(call, 'before', await askForOne({ verb: 'delete', id })),
    query: async (_, query) => {
      const found = await ask({ verb: 'list' })
      return found instanceof Refusal ? found : listResources(found, query, { cookies })
    },
  }
}

/** Records a created or deleted share for the audit. */
function noted({ exchange }: Call, moment: 'before' | 'after', share: Resource | Refusal): Resource | Refusal {
  if (share instanceof Refusal) return share
  const { id, content } = share
  const state: AuditedState = { revision: contentRevision(content), content }
  recordChange(exchange, { id, before: null, after: null, [moment]: state })
  return share
}

function resourceOf({ id, content }: ObjectResource): Resource {
  return { id, revision: null, content }
}
