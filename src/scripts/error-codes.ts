/** Error codes of this folder: docs/reference/errors.md is generated from it. */
export const ERROR_CODES = {
  GW_SCRIPT_FAILED: {
    meaning: 'A script threw an error or returned a value of the wrong type. The request gets 500.',
    action: 'Correct the script at the file and line that the message names; `gateway script run` runs it alone.',
  },
  GW_SCRIPT_SYNTAX: {
    meaning: 'A script does not compile.',
    action:
      'Correct the script at the file and line that the message names; `gateway script check` lists all problems.',
  },
  GW_SCRIPT_TIMEOUT: {
    meaning: 'A script was stopped because it ran too long. The request gets 500.',
    action: 'Look for endless loops and for slow calls; the limits are in the guide to scripts.',
  },
}
