// The same limits without the fallback of V8, since the gateway may be started without its flag.
import { setFlagsFromString } from 'node:v8'

setFlagsFromString('--no-enable-experimental-regexp-engine-on-excessive-backtracks')
await import('./stall.test.ts')
