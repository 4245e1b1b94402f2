export { listen } from './server.ts'
export type { Listener, ListenerSettings, ServerOptions } from './settings.ts'
export { type MappedOptions, mapVertxServerOptions } from './vertx-options.ts'
