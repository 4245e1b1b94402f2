import { type Collection, listResources, PageCookies, Refusal, type Resource } from '#crest'
import { EtcdError } from '#etcd'
import type { JsonObject } from '#json'
import type { Fleet } from '../fleet.ts'
import type { InstanceStatus } from '../instance-status.ts'
import { FLEET_DESCRIPTIONS } from './releases-descriptions.ts'
import { storeRefusal } from './store-refusal.ts'

/** The living instances of the store as a read-only Common REST collection. */
export function instancesCollection(fleet: Pick<Fleet, 'instances'>): Collection {
  const cookies = new PageCookies()
  const all = async (): Promise<InstanceStatus[] | Refusal> => {
    try {
      return await fleet.instances()
    } catch (error) {
      if (error instanceof EtcdError) return storeRefusal(error)
      throw error
    }
  }
  return {
    kind: 'collection',
    description: FLEET_DESCRIPTIONS.endpoints.instances,
    read: async (_, id) => {
      const found = await all()
      if (found instanceof Refusal) return found
      const status = found.find((each) => each.id === id)
      return status === undefined ? new Refusal(404, 'there is no living instance of this id') : resourceOf(status)
    },
    query: async (_, query) => {
      const found = await all()
      return found instanceof Refusal ? found : listResources(found.map(resourceOf), query, { cookies })
    },
  }
}

function resourceOf({ id, ...status }: InstanceStatus): Resource {
  return { id, revision: null, content: { ...status } as unknown as JsonObject }
}
