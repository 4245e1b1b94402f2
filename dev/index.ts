export {
  type AccessManagerSettings,
  type Agent,
  type Client,
  DevelopmentAccessManager,
  type Fault,
  type Hold,
  type Policy,
  REVOCATION_TOPIC,
  type ReceivedRequest,
  SUBPROTOCOL,
  type TokenWish,
  type User,
} from './access-manager/index.ts'
export { type DemoAccessManager, startDemoAccessManager } from './demo-access-manager.ts'
export { DEMO_ROWS, type DemoRow } from './demo-rows.ts'
export { type ProtectedApplication, startProtectedApplication } from './protected-application.ts'
export { createSampleInstance, type SampleInstance } from './sample-instance.ts'
