import { dirname, join, relative, sep } from 'node:path'
import type { ServedFolders } from '#contracts'
import type { Deployment } from '../routes/deployment.ts'
import type { OpenFolders } from '../routes/open-folders.ts'
import { configText } from '../units/config-file.ts'
import type { Replacement, UnitChange } from '../units/supervisor.ts'
import type { TriedConfiguration, tryUnit } from '../units/unit-trial.ts'
import type { ReleaseProblem } from './instance-status.ts'
import type { RouteEdits, ServingHost, TrialResult } from './serving-host.ts'

/** Parts of the gateway that releases are applied to. */
export interface HostParts {
  readonly stores: OpenFolders
  /** The folders that are served now. */
  folders(): ServedFolders
  replaceUnits(change: UnitChange): Promise<Replacement>
  tryUnit(tried: TriedConfiguration): ReturnType<typeof tryUnit>
}

const CONFIG = 'config/config.json'

/** Applies releases to the routes and units of a gateway. */
export class GatewayHost implements ServingHost {
  readonly #parts: HostParts

  constructor(parts: HostParts) {
    this.#parts = parts
  }

  async scan(paths: readonly string[]): Promise<void> {
    const { config } = this.#parts.folders()
    const byFolder = Map.groupBy(paths, (path) => join(config, '..', dirname(path)))
    await Promise.all(
      this.#deployments.map(async (deployment) => {
        const files = byFolder.get(deployment.directory)?.map((path) => path.slice(path.lastIndexOf('/') + 1))
        if (files !== undefined) await deployment.scan({ files })
      }),
    )
  }

  problems(): readonly ReleaseProblem[] {
    const { config } = this.#parts.folders()
    return this.#deployments.flatMap((deployment) => {
      const folder = deployment.failing === 0 ? null : pathOf(deployment.directory, config)
      if (folder === null) return []
      return deployment
        .status()
        .flatMap(({ file, problems }) =>
          problems.map(({ pointer, message }) => ({ file: `${folder}/${file}`, ...place(pointer), message })),
        )
    })
  }

  async editAll(
    edits: RouteEdits,
    write: () => Promise<boolean>,
  ): Promise<'done' | 'unavailable' | readonly ReleaseProblem[]> {
    const { config } = this.#parts.folders()
    const edited = this.#deployments.filter(({ directory }) => edits.has(pathOf(directory, config) ?? ''))
    // In one order, since each keeps its queue until all are written.
    edited.sort((a, b) => (a.directory < b.directory ? -1 : 1))
    return this.#edit(edited, edits, write)
  }

  async replace(folders: ServedFolders): Promise<readonly ReleaseProblem[]> {
    const result = await this.#parts.replaceUnits({ config: configText(folders.config), folders })
    if (result.state === 'replaced') return []
    const { message, problems } = result
    if (problems.length === 0) return [{ file: CONFIG, message }]
    return problems.map(({ file, pointer, message: problem }) => ({
      file: file === undefined ? CONFIG : `config/routes/${file}`,
      ...place(pointer),
      message: problem,
    }))
  }

  async tryOut(folders: ServedFolders): Promise<TrialResult> {
    const { starts, problems } = await this.#parts.tryUnit({ config: configText(folders.config), folders })
    return {
      starts,
      problems: problems.map(({ directory, file, pointer, message }) => {
        const folder = directory === null ? null : pathOf(directory, folders.config)
        return { file: folder === null ? CONFIG : `${folder}/${file}`, ...place(pointer), message }
      }),
    }
  }

  get #deployments(): Deployment[] {
    return this.#parts.stores.all.map(({ deployment }) => deployment)
  }

  /** Each folder builds its edits, then the next one does, and the last one writes. */
  async #edit(
    [deployment, ...others]: readonly Deployment[],
    edits: RouteEdits,
    write: () => Promise<boolean>,
  ): Promise<'done' | 'unavailable' | readonly ReleaseProblem[]> {
    if (deployment === undefined) {
      await write()
      return 'done'
    }
    const folder = pathOf(deployment.directory, this.#parts.folders().config) as string
    let inner: 'done' | 'unavailable' | readonly ReleaseProblem[] = 'done'
    let isSwapped = false
    const outcome = await deployment.editAll(edits.get(folder) ?? new Map(), async () => {
      if (others.length === 0) isSwapped = await write()
      else {
        inner = await this.#edit(others, edits, async () => {
          isSwapped = await write()
          return isSwapped
        })
      }
      return isSwapped
    })
    if (typeof outcome === 'string') return outcome === 'unavailable' ? outcome : inner
    return [...outcome].flatMap(([file, problems]) =>
      problems.map(({ pointer, message }) => ({ file: `${folder}/${file}`, ...place(pointer), message })),
    )
  }
}

/** `config/routes` and the like, for a folder of the served configuration; null for another. */
function pathOf(directory: string, config: string): string | null {
  const inside = relative(config, directory).split(sep).join('/')
  return inside === 'routes' || inside.startsWith('routes/') ? `config/${inside}` : null
}

function place(pointer: string): { readonly pointer?: string } {
  return pointer === '' ? {} : { pointer }
}
