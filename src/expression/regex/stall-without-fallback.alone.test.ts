// The same promises, kept without the fallback of V8: whoever starts the gateway may have left out its flag.
import { setFlagsFromString } from 'node:v8'

setFlagsFromString('--no-enable-experimental-regexp-engine-on-excessive-backtracks')
await import('./stall.test.ts')
