export type { LiveRouter } from './live-router.ts'
export type { RouteFeed } from './route-feed.ts'
export { Routers } from './routers.ts'
export { Unit, type UnitInput } from './unit.ts'
