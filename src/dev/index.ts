export { DEMO_ROWS, type DemoRow } from './demo-rows.ts'
export { type ProtectedApplication, startProtectedApplication } from './protected-application.ts'
export { createSampleInstance, type SampleInstance } from './sample-instance.ts'
