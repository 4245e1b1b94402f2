/** Path of the page of a route. Slashes of the router are `~`: servers refuse escaped ones. */
export function routePage(router: string, id: string): string {
  return `/routes/${router.replaceAll('/', '~')}/${encodeURIComponent(id)}`
}

/** The router in the path of a page. */
export function routerOfPage(part: string): string {
  return part.replaceAll('~', '/')
}
