import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** A temporary folder with files of a test, deleted at the end of its scope. */
export class Folder implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), 'gateway-test-'))

  constructor(files: Readonly<Record<string, string>> = {}) {
    for (const [name, text] of Object.entries(files)) this.write(name, text)
  }

  in(name: string): string {
    return join(this.path, name)
  }

  write(name: string, text: string): void {
    mkdirSync(dirname(this.in(name)), { recursive: true })
    writeFileSync(this.in(name), text)
  }

  read(name: string): string {
    return readFileSync(this.in(name), 'utf8')
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true })
  }
}
