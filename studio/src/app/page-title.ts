import { useEffect } from 'react'

const PRODUCT = 'Identity Gateway Studio'
const NAMES: ReadonlyMap<string, string> = new Map([
  ['routes', 'Routes'],
  ['try-it', 'Try it'],
  ['requests', 'Requests'],
  ['monitor', 'Monitor'],
])

/** The title of a page: tabs with several routes differ, and a screen reader says where one is. */
export function titleOf(path: string): string {
  const [page = '', , id] = path.split('/').filter(Boolean)
  const name = id ?? NAMES.get(page)
  return name === undefined ? PRODUCT : `${name} - ${PRODUCT}`
}

/** Names the document after the page of a path. */
export function usePageTitle(path: string): void {
  useEffect(() => {
    document.title = titleOf(path)
    return () => {
      document.title = PRODUCT
    }
  }, [path])
}
