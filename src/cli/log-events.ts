import { logEvents } from '#logging'

export const EVENTS = logEvents('GW_PROCESS', {
  DRAIN_TIMED_OUT: {
    message: 'the drain after an uncaught error did not end in time: the gateway exits now',
    meaning: 'In-flight requests are aborted.',
    action: 'Nothing, where clients were slow; see the uncaught error before it.',
  },
  FEW_DESCRIPTORS: {
    message: 'the limit of open files leaves little room for connections; raise it (ulimit -n)',
    meaning:
      'The ports of the units and files use more than half of the limit. `connections` of clients are possible, further ones are closed at once.',
    action: 'Raise the limit of open files (`ulimit -n`, `LimitNOFILE` of systemd), or lower `gatewayUnits`.',
  },
  PREDECESSOR_STAYS: {
    message: 'the gateway that was replaced does not say that it accepts nothing more',
    meaning:
      'This gateway has its sessions and files. The other one may still accept connections, with its own configuration.',
    action: 'Stop the process of the entry with SIGTERM.',
  },
  RELOAD_FAILED: {
    message: 'reload failed; routes that could not be read stay as they are',
    meaning:
      'Of a folder that can not be read, the routes that were served before stay. Keystores and secrets are read again.',
    action: 'See the error; the reload can be repeated.',
  },
  SECOND_SIGNAL: {
    message: 'second stop signal: ending now',
    meaning: 'In-flight requests are aborted.',
    action: 'Nothing.',
  },
  SECOND_UNCAUGHT_ERROR: {
    message: 'another uncaught error in the control thread: the gateway exits now',
    meaning: 'The gateway exits at once; in-flight requests are aborted.',
    action: 'Report it with the log entry: it is a fault of the gateway.',
  },
  START_FAILED: {
    message: 'the gateway could not start',
    meaning: 'No traffic is served.',
    action: 'Correct the configuration as the error says; `gateway validate` checks it without starting.',
  },
  STOP_FAILED: {
    message: 'stopping failed',
    meaning: 'The gateway exits with a failure.',
    action: 'Report it with the log entry: it is a fault of the gateway.',
  },
  SYSTEMD_NOT_NOTIFIED: {
    message: 'systemd could not be notified of the state of the gateway',
    meaning:
      'Traffic is served; systemd may end a service of Type=notify, or with a watchdog, that it was not notified of.',
    action: 'Check that the command systemd-notify is installed, and that the unit has NotifyAccess=all.',
  },
  UNCAUGHT_ERROR: {
    message: 'uncaught error in the control thread: the gateway drains its units and exits',
    meaning: 'The gateway drains and exits with a failure; a supervisor should restart it.',
    action: 'Report it with the log entry: it is a fault of the gateway.',
  },
})
