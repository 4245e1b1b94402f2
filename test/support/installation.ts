import { join } from 'node:path'

const { TEST_INSTALLATION = join(import.meta.dirname, '..', '..') } = process.env

/** The command of the checkout; in a run of the whole suite, that of an installed package (scripts/test-bundle.ts). */
export const GATEWAY_COMMAND = join(TEST_INSTALLATION, 'bin', 'gateway')
