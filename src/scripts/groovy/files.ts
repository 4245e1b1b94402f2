// `File`, for reading: files that `scriptFiles` lists.
import { readFile, stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import {
  andThen,
  ByteArray,
  type ClassInfo,
  classes,
  exceptions,
  GroovyObject,
  ListValue,
  type Maybe,
  suspend,
  textOf,
  throwable,
  type Value,
} from '@identity-gateway/groovy'
import { currentHost } from './evaluation-host.ts'
import { awaited, extendWithHost } from './host-class.ts'
import { type ReadableFiles, readablePath } from './readable-files.ts'

export const FileClass = classes.declareClass('java.io.File')

const MAX_BYTES = 10_000_000

/** A path; the file system is accessed on use. */
class FileValue extends GroovyObject {
  readonly path: string

  constructor(path: string) {
    super()
    this.path = path
  }

  get klass(): ClassInfo {
    return FileClass
  }

  override equalityKey(): string {
    return this.path
  }
}

async function readBytes(path: string, files: ReadableFiles | null): Promise<Uint8Array> {
  const real = files === null ? null : await readablePath(path, files)
  const stats = real === null ? null : await stat(real)
  if (real === null || !stats?.isFile()) {
    throw throwable(
      exceptions.FileNotFoundException,
      `${path} (no such file among those that scripts can read: ${files?.readable.join(', ') ?? ''}; list others in scriptFiles of admin.json)`,
    )
  }
  if (stats.size > MAX_BYTES) throw throwable(exceptions.IOException, `${path} is larger than ${MAX_BYTES} bytes`)
  return await readFile(real)
}

/** Suspends the script until the file is read. */
function read(self: FileValue, use: (bytes: Uint8Array) => Value): Maybe {
  const { files } = currentHost()
  const bytes = readBytes(self.path, files).then((content) => new ByteArray(Uint8Array.from(content)))
  return andThen(suspend(awaited(bytes)), (value) => use((value as ByteArray).bytes))
}

/** Passes the kind of the path: a file, a folder, or none that scripts may access. */
function withKind(self: FileValue, use: (found: 'file' | 'folder' | 'nothing') => Value): Maybe {
  const { files } = currentHost()
  const find = async (): Promise<Value> => {
    const real = files === null ? null : await readablePath(self.path, files)
    if (real === null) return 'nothing'
    return (await stat(real)).isDirectory() ? 'folder' : 'file'
  }
  return andThen(suspend(awaited(find())), (found) => use(found as 'file' | 'folder' | 'nothing'))
}

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8')
const lines = (content: string): Value =>
  new ListValue(content === '' ? [] : content.replace(/\r?\n$/, '').split(/\r\n|\r|\n/))

extendWithHost(FileClass, {
  'new(String path)': (path: string) => new FileValue(path),
  'new(File folder, String path)': (folder: FileValue, path: string) => new FileValue(`${folder.path}/${path}`),
  'new(String folder, String path)': (folder: string, path: string) => new FileValue(`${folder}/${path}`),
  'getText(): String': (self: FileValue) => read(self, text),
  'getText(String charset): String': (self: FileValue, charset: string) =>
    read(self, (bytes) => Buffer.from(bytes).toString(/^(?:iso-8859-1|latin1)$/i.test(charset) ? 'latin1' : 'utf8')),
  'getBytes(): byte[]': (self: FileValue) => read(self, (bytes) => new ByteArray(Uint8Array.from(bytes))),
  'readLines(): List': (self: FileValue) => read(self, (bytes) => lines(text(bytes))),
  'exists(): boolean': (self: FileValue) => withKind(self, (found) => found !== 'nothing'),
  'isFile(): boolean': (self: FileValue) => withKind(self, (found) => found === 'file'),
  'isDirectory(): boolean': (self: FileValue) => withKind(self, (found) => found === 'folder'),
  'canRead(): boolean': (self: FileValue) => withKind(self, (found) => found !== 'nothing'),
  'length(): long': (self: FileValue) => read(self, (bytes) => BigInt(bytes.length)),
  'getName(): String': ({ path }: FileValue) => basename(path),
  'getPath(): String': ({ path }: FileValue) => path,
  'getParent(): String': ({ path }: FileValue) => dirname(path),
  'toString(): String': ({ path }: FileValue) => textOf(path),
})
