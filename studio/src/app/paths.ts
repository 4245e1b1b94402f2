/** Path of the page of a route. Slashes of the router are `~`: servers refuse escaped ones. */
export function routePage(router: string, id: string): string {
  return `/routes/${router.replaceAll('/', '~')}/${encodeURIComponent(id)}`
}

/** The router in the path of a page. */
export function routerOfPage(part: string): string {
  return part.replaceAll('~', '/')
}

/** Whether this can be a router: names in a path without dot segments, which would lead a request elsewhere. */
export function isRouter(router: string): boolean {
  return /^[^?#\\]+$/.test(router) && router.split('/').every((part) => !/^(?:\.|%2e){0,2}$/i.test(part))
}
