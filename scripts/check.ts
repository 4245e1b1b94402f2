// npm run check: format, lint and types, without running any test.
import { runSteps, staticSteps } from './steps.ts'

process.exitCode = runSteps(staticSteps) ? 0 : 1
