import type { ServedFolders, UnitSettings } from '#contracts'
import { type InstanceDirectories, instanceDirectories } from '#instance'
import { configText } from './config-file.ts'
import type { UnitChange } from './supervisor.ts'

interface ConfigurationSettings {
  /** Those of the instance. */
  readonly directories: InstanceDirectories
  readonly unit: Pick<UnitSettings, 'state' | 'temporaryDirectory'>
}

/** The configuration that units serve: config.json and its folders, which change when units are replaced. */
export class ServedConfiguration {
  readonly #settings: ConfigurationSettings
  /** Text of config.json; null without one. */
  text: string | null
  /** Null for those of the instance. */
  folders: ServedFolders | null

  constructor(settings: ConfigurationSettings, folders: ServedFolders | null) {
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
