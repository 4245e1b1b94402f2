import { ADMIN_SESSION_COOKIE } from '#http'
import type { JsonObject, JsonValue } from '#json'

/** Objects that exist without a declaration (field-notes 1.2); a declaration of the same name replaces one. */
export const DEFAULT_OBJECTS: readonly JsonValue[] = [
  { name: 'capture', type: 'CaptureDecorator' },
  { name: 'timer', type: 'TimerDecorator' },
  { name: 'tracing', type: 'TracingDecorator' },
  { name: 'baseURI', type: 'BaseUriDecorator' },
  { name: 'ClientHandler', type: 'ClientHandler' },
  { name: 'ReverseProxyHandler', type: 'ReverseProxyHandler' },
  {
    name: 'ForgeRockClientHandler',
    type: 'Chain',
    config: { filters: ['TransactionIdOutboundFilter'], handler: 'ClientHandler' },
  },
  { name: 'TransactionIdOutboundFilter', type: 'TransactionIdOutboundFilter' },
  { name: 'ScheduledExecutorService', type: 'ScheduledExecutorService' },
  { name: 'TemporaryStorage', type: 'TemporaryStorage' },
  { name: 'ProxyOptions', type: 'NoProxyOptions' },
  { name: 'AuditService', type: 'NoOpAuditService' },
  { name: 'Session', type: 'InMemorySessionManager' },
  { name: 'BASE64', type: 'Base64PropertyFormat' },
  { name: 'PLAIN', type: 'PlainPropertyFormat' },
]

/** The same for admin.json. Cookies ignore ports: its sessions have another cookie than those of traffic. */
export const ADMIN_DEFAULTS: readonly JsonValue[] = [
  ...DEFAULT_OBJECTS.filter((each) => (each as JsonObject)['name'] !== 'Session'),
  { name: 'Session', type: 'InMemorySessionManager', config: { cookie: { name: ADMIN_SESSION_COOKIE } } },
]

/** Default config.json (decisions 2). */
export const DEFAULT_CONFIG: JsonObject = {
  handler: '_router',
  heap: [
    {
      name: '_router',
      type: 'Router',
      config: { defaultHandler: { type: 'WelcomeHandler', config: { rootOnly: true } } },
    },
  ],
}
