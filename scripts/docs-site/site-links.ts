// Links of Markdown files: to other pages of the site, to files that it copies, to anchors. A broken one is reported with its file.
import { existsSync, statSync } from 'node:fs'
import { join, posix } from 'node:path'
import { fileAddress, linkBetween, pageAddress } from './site-paths.ts'

/** A link to an anchor of a page, checked when all pages are rendered. */
interface AnchorLink {
  readonly source: string
  readonly href: string
  /** Markdown file with the anchor. */
  readonly target: string
  readonly anchor: string
}

/** Resolves the links of all pages, and collects broken ones and files to copy. */
export class SiteLinks {
  readonly broken: string[] = []
  /** Files outside of the pages, relative to the root of the repository. */
  readonly files = new Set<string>()
  /** Folders that are linked; each becomes a page that lists its files. */
  readonly folders = new Set<string>()
  readonly #anchors: AnchorLink[] = []
  readonly #root: string
  readonly #sources: ReadonlySet<string>

  constructor(root: string, sources: readonly string[]) {
    this.#root = root
    this.#sources = new Set(sources)
  }

  /** The target of a link in a Markdown file as a link of its page; null where it is broken. */
  resolve(source: string, href: string, isImage: boolean): string | null {
    if (/^[a-z][a-z+.-]*:/i.test(href)) {
      if (!isImage && /^(?:https?|mailto):/i.test(href)) return href
      return this.#fail(source, href, isImage ? 'the site must not load images from other servers' : 'unknown scheme')
    }
    const [path = '', anchor] = href.split('#', 2)
    const target = path === '' ? source : posix.join(posix.dirname(source), decodeURIComponent(path))
    const suffix = anchor === undefined ? '' : `#${anchor}`
    if (anchor !== undefined) this.#anchors.push({ source, href, target, anchor: decodeURIComponent(anchor) })
    if (this.#sources.has(target))
      return `${linkBetween(pageAddress(source), pageAddress(target)) || ''}${suffix}` || '#'
    const place = join(this.#root, target)
    if (target.startsWith('..') || !existsSync(place)) return this.#fail(source, href, 'no such file')
    if (statSync(place).isDirectory()) return this.#folder(source, target.replace(/\/$/, ''))
    this.files.add(target)
    return linkBetween(pageAddress(source), fileAddress(target))
  }

  /** Reports links to anchors that do not exist. */
  checkAnchors(anchorsOf: ReadonlyMap<string, ReadonlySet<string>>): void {
    for (const { source, href, target, anchor } of this.#anchors) {
      const anchors = anchorsOf.get(target)
      if (anchors === undefined || anchor === '' || anchors.has(anchor)) continue
      this.broken.push(`${source}: ${href}: no such heading in ${target}`)
    }
  }

  #folder(source: string, folder: string): string {
    const index = `${folder}/README.md`
    if (this.#sources.has(index)) return linkBetween(pageAddress(source), pageAddress(index))
    this.folders.add(folder)
    return linkBetween(pageAddress(source), `${fileAddress(folder)}/index.html`)
  }

  #fail(source: string, href: string, reason: string): null {
    this.broken.push(`${source}: ${href}: ${reason}`)
    return null
  }
}
