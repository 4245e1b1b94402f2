import { createHash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/** Content codings of files, the preferred first. */
export const CODINGS = ['br', 'gzip'] as const
type Coding = (typeof CODINGS)[number]

const EXTENSIONS: Readonly<Record<Coding, string>> = { br: '.br', gzip: '.gz' }

const MAX_FILES = 2_000
const MAX_BYTES = 64 * 1024 * 1024

/** Shorter contents are not compressed. */
const MIN_COMPRESSED = 1_024

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.mjs': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
}

/** Formats that are compressed themselves. */
const COMPRESSED_TYPES: ReadonlySet<string> = new Set(['image/png', 'font/woff2'])

/** A file of the build, in memory. */
export class PageFile {
  readonly type: string
  readonly content: Buffer
  /** Hash of the content. */
  readonly revision: string
  readonly #codings = new Map<Coding, Promise<Buffer>>()

  constructor(path: string, content: Buffer) {
    this.type = TYPES[extname(path)] ?? 'application/octet-stream'
    this.content = content
    this.revision = createHash('sha256').update(content).digest('base64url').slice(0, 22)
  }

  get isCompressible(): boolean {
    return this.content.length >= MIN_COMPRESSED && !COMPRESSED_TYPES.has(this.type)
  }

  /** Sets a content that the build has compressed. */
  setEncoded(coding: Coding, content: Buffer): void {
    this.#codings.set(coding, Promise.resolve(content))
  }

  /** The compressed content; compressed on first use where the build has not done so. */
  encoded(coding: Coding): Promise<Buffer> {
    const known = this.#codings.get(coding) ?? compress(coding, this.content)
    this.#codings.set(coding, known)
    return known
  }
}

/** A build of the Studio: its files by their path below the folder. */
export interface PageBuild {
  /** Changes with the build. */
  readonly stamp: string
  readonly files: ReadonlyMap<string, PageFile>
}

/** The stamp of a build; null where it does not exist. */
export async function buildStamp(directory: string): Promise<string | null> {
  try {
    const { mtimeMs, ino, size } = await stat(join(directory, 'index.html'))
    return `${ino}:${size}:${mtimeMs}`
  } catch {
    return null
  }
}

/** Reads a build. Throws where it is larger than a build of the Studio can be. */
export async function readBuild(directory: string, stamp: string): Promise<PageBuild> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  // Regular files only: a symbolic link may point outside of the folder.
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  if (paths.length > MAX_FILES) throw new Error(`the build has more than ${MAX_FILES} files`)
  const contents = new Map<string, Buffer>()
  let bytes = 0
  for (const path of paths) {
    const content = await readFile(path)
    bytes += content.length
    if (bytes > MAX_BYTES) throw new Error(`the build is larger than ${MAX_BYTES} bytes`)
    contents.set(path.slice(directory.length).replaceAll('\\', '/').replace(/^\/+/, ''), content)
  }
  return { stamp, files: pageFiles(contents) }
}

function pageFiles(contents: ReadonlyMap<string, Buffer>): ReadonlyMap<string, PageFile> {
  const files = new Map<string, PageFile>()
  for (const [path, content] of contents) if (!isEncoded(path, contents)) files.set(path, new PageFile(path, content))
  for (const [path, file] of files) {
    for (const coding of CODINGS) {
      const encoded = contents.get(path + EXTENSIONS[coding])
      if (encoded !== undefined) file.setEncoded(coding, encoded)
    }
  }
  return files
}

/** Whether a file is the compressed form of another. */
function isEncoded(path: string, contents: ReadonlyMap<string, Buffer>): boolean {
  return CODINGS.some((coding) => path.endsWith(EXTENSIONS[coding]) && contents.has(path.replace(/\.\w+$/, '')))
}

const inBrotli = promisify(brotliCompress)
const inGzip = promisify(gzip)

function compress(coding: Coding, content: Buffer): Promise<Buffer> {
  if (coding === 'gzip') return inGzip(content)
  return inBrotli(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } })
}
