import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** The root folder of the repository. */
export const root = join(import.meta.dirname, '..')

/** The Node of the npm packages. */
export const node = join(root, 'node_modules', '.bin', 'node')

/** A temporary folder for the files of one benchmark, removed on disposal or exit. */
export class Workspace implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), 'gateway-bench-'))
  readonly #remove = (): void => rmSync(this.path, { recursive: true, force: true })

  constructor() {
    process.once('exit', this.#remove)
  }

  /** Writes a file, creates its folders, and returns its path. */
  write(name: string, content: string | Uint8Array): string {
    const path = join(this.path, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
    return path
  }

  [Symbol.dispose](): void {
    process.off('exit', this.#remove)
    this.#remove()
  }
}
