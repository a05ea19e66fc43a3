#ifndef SPOOL_ICC_ACCOUNT_H
#define SPOOL_ICC_ACCOUNT_H

#include <lcms2.h>

#include "icc.h"

/*
 * An lcms context whose memory and complaints go to an account: of the thread's current one, since lcms
 * allocates the context itself before it can tell whose it is.
 */
cmsContext spool_icc_context(void);

/* Makes an account the thread's current one; NULL when lcms is left again. */
void spool_icc_charge(spool_icc_account *account);

/* Frees what lcms has left behind in the thread's account: it loses blocks when an allocation is refused. */
void spool_icc_settle(void);

#endif
