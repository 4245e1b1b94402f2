import type { ServedFolders } from '#contracts'
import { type InstanceDirectories, instanceDirectories } from '#instance'
import type { AdminSettings } from '../admin/admin-settings.ts'
import { configText } from './config-file.ts'
import type { UnitChange } from './supervisor.ts'

/** The configuration that units serve: config.json and its folders, which change when units are replaced. */
export class ServedConfiguration {
  readonly #settings: AdminSettings
  /** Text of config.json; null without one. */
  text: string | null
  /** Null for those of the instance. */
  folders: ServedFolders | null

  constructor(settings: AdminSettings, folders: ServedFolders | null) {
    this.#settings = settings
    this.folders = folders
    this.text = configText(this.directories.config)
  }

  /** The folders of the instance, with those that are served in the place of its own. */
  get directories(): InstanceDirectories {
    const { directories, unit } = this.#settings
    if (this.folders === null) return directories
    const { state, temporaryDirectory: temporary } = unit
    return instanceDirectories(directories.instance, { state, temporary, folders: this.folders })
  }

  /** Units serve the changed configuration. */
  change({ config, folders }: Required<UnitChange>): void {
    this.text = config
    this.folders = folders
  }
}
