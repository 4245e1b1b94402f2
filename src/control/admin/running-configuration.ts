import { isAbsolute, relative } from 'node:path'
import type { Singleton } from '#crest'
import type { RouteStores } from '../routes/route-stores.ts'

/** Files of the configuration that runs. */
export interface RunningFiles {
  /** Text of config.json; null without one. */
  readonly config: string | null
  readonly adminRevision: string
  /** The instance directory. */
  readonly instance: string
}

/** The configuration that runs, beside the routes: config.json, the revision of admin.json, and every router. */
export function runningConfiguration(running: () => RunningFiles, stores: RouteStores): Singleton {
  return {
    kind: 'singleton',
    description: {
      id: 'gateway:configuration',
      title: 'Running configuration',
      description: 'Files as they are used, and the folders of all routers; for `gateway diff`.',
      version: '1.0',
      schema: {
        type: 'object',
        properties: {
          config: { type: ['string', 'null'], description: 'Text of config.json; null without one.' },
          adminRevision: { type: 'string', description: 'Revision of the content of admin.json.' },
          routers: {
            type: 'array',
            items: {
              type: 'object',
              properties: {
                path: { type: 'string', description: 'Its path below /api/system/objects.' },
                directory: { type: 'string', description: 'Its folder, relative to the instance where it is in it.' },
              },
            },
          },
        },
      },
      revisions: false,
    },
    read: async () => {
      const { config, adminRevision, instance } = running()
      const routers = stores.paths.map(({ path, store }) => ({
        path,
        directory: shownDirectory(store.directory, instance),
      }))
      return { id: 'configuration', revision: null, content: { config, adminRevision, routers } }
    },
  }
}

function shownDirectory(directory: string, instance: string): string {
  const inside = relative(instance, directory)
  return inside === '' || inside.startsWith('..') || isAbsolute(inside) ? directory : inside
}
