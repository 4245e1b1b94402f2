import { isAbsolute, relative } from 'node:path'
import type { Singleton } from '#crest'
import type { OpenFolders } from '../routes/open-folders.ts'
import { ADMIN_DESCRIPTIONS } from './admin-descriptions.ts'

/** Files of the configuration that runs. */
export interface RunningFiles {
  /** Text of config.json; null without one. */
  readonly config: string | null
  readonly adminRevision: string
  /** The instance directory. */
  readonly instance: string
}

/** The configuration that runs, beside the routes: config.json, the revision of admin.json, and every router. */
export function runningConfiguration(running: () => RunningFiles, stores: OpenFolders): Singleton {
  return {
    kind: 'singleton',
    description: ADMIN_DESCRIPTIONS.endpoints.configuration,
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
