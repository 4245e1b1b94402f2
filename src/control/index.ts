export { type AdminSettings, type FileRelease, openAdminSettings } from './admin/admin-settings.ts'
export { adminCredentials } from './admin/authentication.ts'
export { folderConflicts } from './audit/folder-conflicts.ts'
export { Gateway } from './gateway.ts'
export { openFiles } from './monitoring/process-metrics.ts'
export { KeyValueStore } from './records/key-value-store.ts'
export {
  decodeRouteFile,
  type RouteFile,
  readRouteFiles,
  revisionOf,
  unreadRouteFileNames,
} from './routes/route-files.ts'
export { planRoutes } from './routes/route-plan.ts'
export { readConfigFile } from './units/config-file.ts'
export { handoverPath, TakeOverError } from './units/take-over/handover-socket.ts'
export { Predecessor, portsOf } from './units/take-over/predecessor.ts'
export { Successors } from './units/take-over/successors.ts'
export { UnitStartError } from './units/unit-link.ts'
