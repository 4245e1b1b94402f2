// npm run check: format, lint and types, without tests.
import { runSteps, staticSteps } from './steps.ts'

process.exitCode = runSteps(staticSteps) ? 0 : 1
