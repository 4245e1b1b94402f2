export {
  type Client,
  DevelopmentAccessManager,
  type Fault,
  type Policy,
  REVOCATION_TOPIC,
} from './access-manager/index.ts'
export { startDemoAccessManager } from './demo-access-manager.ts'
export { DEMO_ROWS } from './demo-rows.ts'
export { startProtectedApplication } from './protected-application.ts'
export { createSampleInstance } from './sample-instance.ts'
